// Reads an ONNX protobuf, already without its weights, into an OnnxGraph.
#include "rooftile/ingest/onnx_proto.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_resolver.hpp"
#include "rooftile/ingest/onnx_types.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

constexpr int kMaxRank = 32;                // numpy's limit; also bounds the time of shape inference
constexpr std::size_t kMaxConstant = 1024;  // elements of a tensor whose values are kept
static_assert(sizeof(float) == 4 && sizeof(double) == 8);

// `count` little-endian elements of type T, as Wide.
template <class T, class Wide>
std::optional<OnnxData> from_raw(const std::string& raw, std::size_t count) {
  if (raw.size() != count * sizeof(T)) return std::nullopt;
  std::vector<Wide> elements(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, raw.data() + i * sizeof(T), sizeof(T));
    elements[i] = static_cast<Wide>(element);
  }
  return OnnxData(std::move(elements));
}

template <class Wide, class Field>
std::optional<OnnxData> from_field(const Field& field, std::size_t count) {
  if (static_cast<std::size_t>(field.size()) != count) return std::nullopt;
  return OnnxData(std::vector<Wide>(field.begin(), field.end()));
}

double from_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const double mantissa = bits & 0x3ff;
  constexpr int kMost = 0x1f;
  const double size = exponent == 0       ? std::ldexp(mantissa, -24)
                      : exponent == kMost ? (mantissa == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN())
                                          : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// Without raw data each element is the lower half of an int32.
std::optional<OnnxData> from_halves(const onnx::TensorProto& tensor, std::size_t count) {
  const auto bits = tensor.has_raw_data() ? from_raw<std::uint16_t, std::int64_t>(tensor.raw_data(), count)
                                          : from_field<std::int64_t>(tensor.int32_data(), count);
  if (!bits) return std::nullopt;
  const bool bf16 = tensor.data_type() == onnx::TensorProto::BFLOAT16;
  Floats values;
  for (const std::int64_t element : std::get<Ints>(*bits)) {
    const auto half = static_cast<std::uint16_t>(element);
    values.push_back(bf16 ? from_bf16(half) : from_fp16(half));
  }
  return OnnxData(std::move(values));
}

// The elements of a small tensor of a type that shapes and scales come in.
std::optional<OnnxData> data_of(const onnx::TensorProto& tensor, std::size_t count) {
  const bool raw = tensor.has_raw_data();
  const std::string& bytes = tensor.raw_data();
  switch (tensor.data_type()) {
    case onnx::TensorProto::INT64:
      return raw ? from_raw<std::int64_t, std::int64_t>(bytes, count)
                 : from_field<std::int64_t>(tensor.int64_data(), count);
    case onnx::TensorProto::INT32:
      return raw ? from_raw<std::int32_t, std::int64_t>(bytes, count)
                 : from_field<std::int64_t>(tensor.int32_data(), count);
    case onnx::TensorProto::BOOL:
      return raw ? from_raw<std::uint8_t, std::int64_t>(bytes, count)
                 : from_field<std::int64_t>(tensor.int32_data(), count);
    case onnx::TensorProto::FLOAT:
      return raw ? from_raw<float, double>(bytes, count) : from_field<double>(tensor.float_data(), count);
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return from_halves(tensor, count);
    case onnx::TensorProto::DOUBLE:
      return raw ? from_raw<double, double>(bytes, count) : from_field<double>(tensor.double_data(), count);
    default:
      return std::nullopt;
  }
}

Result<OnnxValue> constant(const onnx::TensorProto& tensor, const std::string& what) {
  OnnxValue value;
  value.constant = true;
  value.external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  const auto dtype = dtype_of_onnx(tensor.data_type());
  if (!dtype) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has the unsupported element type {}", what, tensor.data_type()));
  }
  value.dtype = *dtype;
  if (tensor.dims_size() > kMaxRank) return bad_input(fmt::format("{} has {} dimensions", what, tensor.dims_size()));
  value.shape.assign(tensor.dims().begin(), tensor.dims().end());
  for (const std::int64_t dim : value.shape) {
    // An empty constant is legal (Resize takes one for an input it does not use).
    if (dim < 0 || dim > kMaxDimension) return bad_input(fmt::format("{} has the dimension {}", what, dim));
  }
  const double count = elements(value.shape);
  if (count > kMaxElements) return bad_input(fmt::format("{} has {:.3g} elements", what, count));
  if (count <= static_cast<double>(kMaxConstant)) value.data = data_of(tensor, static_cast<std::size_t>(count));
  return value;
}

constexpr std::size_t kMostInlined = 100'000;  // nodes of functions, or 64 bytes of one, in all
constexpr std::size_t kMostNested = 64;        // functions that call each other
constexpr std::size_t kLongestPrefix = 200;    // of the names of what a function computes

// "Conv"; of domains other than ONNX's own "domain.Type".
std::string full_type(const std::string& domain, const std::string& type) {
  return domain.empty() || domain == "ai.onnx" ? type : domain + "." + type;
}

using Attributes = std::map<std::string, const onnx::AttributeProto*, std::less<>>;

// What names mean within a graph or a call of a function.
struct Scope {
  const Scope* outer = nullptr;            // of the graph around this one
  std::vector<ValueId>* locals = nullptr;  // of the body that this is part of, if it is
  std::vector<OnnxNode>* nodes = nullptr;  // where its nodes go
  std::string prefix = {};                 // of the names within a function
  const Attributes* arguments = nullptr;   // of a function: the attributes it is called with
  std::unordered_map<std::string, ValueId> ids = {};

  std::optional<ValueId> find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      if (const auto found = scope->ids.find(name); found != scope->ids.end()) return found->second;
    }
    return std::nullopt;
  }
};

class ProtoReader {
 public:
  Result<OnnxGraph> read(const onnx::ModelProto& model) {
    if (!model.has_graph()) return bad_input("holds no graph; is this an ONNX file?");
    for (const auto& import : model.opset_import()) {
      if (import.domain().empty() || import.domain() == "ai.onnx") {
        if (import.version() < 1 || import.version() > 1000) {
          return bad_input(fmt::format("operator set {} is not valid", import.version()));
        }
        graph_.opset = static_cast<int>(import.version());
      }
    }
    for (const auto& property : model.metadata_props()) {
      if (property.key() == "rooftile.weights") graph_.computes_on_weights = property.value() == "computed at each run";
    }
    if (graph_.opset == 0) return bad_input("does not say which operator set of ONNX it uses (opset_import)");
    if (model.graph().node().empty()) return bad_input("the graph has no nodes");
    for (const auto& function : model.functions())
      functions_[full_type(function.domain(), function.name())] = &function;

    Scope scope = {.nodes = &graph_.nodes};
    TRY(add_constants(model.graph(), scope));
    for (const auto& input : model.graph().input()) {
      TRY(add_input(input, scope));
    }
    for (const auto& node : model.graph().node()) {
      TRY(add_node(node, scope));
    }
    for (const auto& output : model.graph().output()) graph_.outputs.push_back(read_id(output.name(), scope));
    return std::move(graph_);
  }

 private:
  ValueId new_id(const std::string& name, Scope& scope) {
    const ValueId id = graph_.values.size();
    const bool inlined = !scope.prefix.empty();
    graph_.values.emplace_back().name = inlined ? scope.prefix + name.substr(0, kLongestPrefix) : name;
    scope.ids[name] = id;
    if (scope.locals != nullptr) scope.locals->push_back(id);
    return id;
  }

  // Of a value that is read, here or in the graphs around.
  ValueId read_id(const std::string& name, Scope& scope) {
    const auto known = scope.find(name);
    return known ? *known : new_id(name, scope);
  }

  // Of a value that is computed here, whatever the graphs around call the same.
  ValueId own_id(const std::string& name, Scope& scope) {
    const auto known = scope.ids.find(name);
    return known != scope.ids.end() ? known->second : new_id(name, scope);
  }

  Result<void> add_constants(const onnx::GraphProto& graph, Scope& scope) {
    for (const auto& tensor : graph.initializer()) {
      TRY(add_constant(tensor.name(), tensor, scope));
    }
    for (const auto& sparse : graph.sparse_initializer()) {
      onnx::TensorProto dense;  // as large as what it stands for: kernels of the models here are dense
      dense.set_data_type(sparse.values().data_type());
      *dense.mutable_dims() = sparse.dims();
      TRY(add_constant(sparse.values().name(), dense, scope));
    }
    return {};
  }

  // Constants of a body are the same in all its runs: no locals.
  Result<void> add_constant(const std::string& name, const onnx::TensorProto& tensor, Scope& scope) {
    auto value = TRY(constant(tensor, "initializer " + in_quotes(name)));
    if (const auto known = scope.ids.find(name); known != scope.ids.end() && graph_.values[known->second].constant) {
      return bad_input(fmt::format("initializer {} appears twice", in_quotes(name)));
    }
    std::vector<ValueId>* locals = std::exchange(scope.locals, nullptr);
    const ValueId at = own_id(name, scope);
    scope.locals = locals;
    value.name = name;
    value.learned = !value.data && is_floating(value.dtype);
    graph_.values[at] = std::move(value);
    return {};
  }

  Result<void> add_input(const onnx::ValueInfoProto& info, Scope& scope) {
    const ValueId at = own_id(info.name(), scope);
    if (graph_.values[at].constant) return {};  // up to IR version 3 each initializer is listed here too
    const std::string what = "input " + in_quotes(info.name());
    if (!inputs_.insert(at).second) return bad_input(what + " appears twice");
    if (!info.type().has_tensor_type()) return fail(ErrorCode::unsupported, what + " is not a tensor");
    const auto& type = info.type().tensor_type();
    const auto dtype = dtype_of_onnx(type.elem_type());
    if (!dtype) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} has the unsupported element type {}", what, type.elem_type()));
    }
    if (!type.has_shape()) return bad_input(what + " has no shape");
    if (type.shape().dim_size() > kMaxRank)
      return bad_input(fmt::format("{} has {} dimensions", what, type.shape().dim_size()));
    graph_.values[at].dtype = *dtype;
    OnnxInput input;
    input.value = at;
    for (const auto& dim : type.shape().dim()) {
      OnnxDim read;
      if (dim.has_dim_value()) read.value = dim.dim_value();
      read.symbol = dim.dim_param();
      input.dims.push_back(std::move(read));
    }
    graph_.inputs.push_back(std::move(input));
    return {};
  }

  // The attributes of a node by name; within a function some are those it is called with.
  static Attributes attributes_of(const onnx::NodeProto& proto, const Scope& scope) {
    Attributes attributes;
    for (const auto& attribute : proto.attribute()) {
      if (attribute.ref_attr_name().empty()) {
        attributes[attribute.name()] = &attribute;
      } else if (scope.arguments != nullptr) {
        const auto given = scope.arguments->find(attribute.ref_attr_name());
        if (given != scope.arguments->end()) attributes[attribute.name()] = given->second;
      }
    }
    return attributes;
  }

  Result<void> add_node(const onnx::NodeProto& proto, Scope& scope) {
    OnnxNode node;
    node.type = full_type(proto.domain(), proto.op_type());
    const std::string& first = proto.output().empty() ? proto.op_type() : proto.output(0);
    node.name = !proto.name().empty() ? proto.name() : !first.empty() ? first : "unnamed";
    if (!scope.prefix.empty()) node.name = scope.prefix + node.name.substr(0, kLongestPrefix);
    if (node.type.empty()) return bad_input(node.label() + " has no operator");
    const Attributes attributes = attributes_of(proto, scope);
    for (const auto& name : proto.input()) node.inputs.push_back(name.empty() ? kAbsent : read_id(name, scope));
    const auto function = functions_.find(node.type);
    if (function != functions_.end()) return call(*function->second, node, proto, attributes, scope);
    for (const auto& [name, attribute] : attributes) {
      if (!name.starts_with("rooftile.")) TRY(add_attribute(name, *attribute, node, scope));
    }
    for (const auto& name : proto.output()) node.outputs.push_back(name.empty() ? kAbsent : own_id(name, scope));
    scope.nodes->push_back(std::move(node));
    return {};
  }

  // The nodes of a function in the place of one that calls it.
  Result<void> call(const onnx::FunctionProto& function, const OnnxNode& node, const onnx::NodeProto& proto,
                    Attributes arguments, Scope& caller) {
    const auto active = std::find(calls_.begin(), calls_.end(), &function);
    if (active != calls_.end()) return bad_input(fmt::format("{}: the function calls itself", node.label()));
    if (calls_.size() >= kMostNested) {
      return bad_input(fmt::format("{}: functions are nested more than {} deep", node.label(), kMostNested));
    }
    if (proto.input_size() > function.input_size() || proto.output_size() > function.output_size()) {
      return bad_input(fmt::format("{}: the function takes {} operands and has {} results, not {} and {}", node.label(),
                                   function.input_size(), function.output_size(), proto.input_size(),
                                   proto.output_size()));
    }
    inlined_ += static_cast<std::size_t>(function.node_size()) + function.ByteSizeLong() / 64;
    if (inlined_ > kMostInlined) {
      return bad_input(
          fmt::format("{}: with functions in place there are more than {} operators", node.label(), kMostInlined));
    }
    const std::vector<onnx::AttributeProto> defaults = defaults_of(function);
    for (const onnx::AttributeProto& attribute : defaults) arguments.try_emplace(attribute.name(), &attribute);
    Scope scope = {.locals = caller.locals, .nodes = caller.nodes, .arguments = &arguments};
    scope.prefix = node.name.size() < kLongestPrefix ? node.name + "/" : caller.prefix + "function/";
    if (scope.prefix.size() > 2 * kLongestPrefix) scope.prefix = "function/";
    for (int i = 0; i < function.input_size(); ++i) {
      const bool given = i < proto.input_size() && node.inputs[static_cast<std::size_t>(i)] != kAbsent;
      scope.ids[function.input(i)] = given ? node.inputs[static_cast<std::size_t>(i)] : kAbsent;
    }
    std::vector<std::pair<ValueId, ValueId>> passed;
    for (int i = 0; i < proto.output_size(); ++i) {
      if (proto.output(i).empty()) continue;
      const ValueId result = own_id(proto.output(i), caller);
      // A result that is an operand, or two that are one value, are copied in name only.
      if (scope.ids.contains(function.output(i))) {
        passed.emplace_back(scope.ids[function.output(i)], result);
      } else {
        scope.ids[function.output(i)] = result;
      }
    }
    calls_.push_back(&function);
    for (const auto& inner : function.node()) TRY(add_node(inner, scope));
    calls_.pop_back();
    for (const auto& [from, to] : passed) {
      OnnxNode copy;
      copy.name = scope.prefix + "result";
      copy.type = "Identity";
      copy.inputs = {from};
      copy.outputs = {to};
      scope.nodes->push_back(std::move(copy));
    }
    return {};
  }

  // FunctionProto.attribute_proto, field 11, which is younger than this libonnx.
  static std::vector<onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function) {
    constexpr int kAttributeProto = 11;
    std::vector<onnx::AttributeProto> defaults;
    const auto& fields = onnx::FunctionProto::GetReflection()->GetUnknownFields(function);
    for (int i = 0; i < fields.field_count(); ++i) {
      const auto& field = fields.field(i);
      const bool message = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
      if (field.number() != kAttributeProto || !message) continue;
      onnx::AttributeProto attribute;
      if (attribute.ParseFromString(field.length_delimited())) defaults.push_back(std::move(attribute));
    }
    return defaults;
  }

  // Attributes of other types (graphs of other operators, strings) belong to operators that are not supported.
  Result<void> add_attribute(const std::string& name, const onnx::AttributeProto& proto, OnnxNode& node, Scope& scope) {
    OnnxAttribute value;
    switch (proto.type()) {
      case onnx::AttributeProto::INT:
        value = proto.i();
        break;
      case onnx::AttributeProto::FLOAT:
        value = static_cast<double>(proto.f());
        break;
      case onnx::AttributeProto::STRING:
        value = proto.s();
        break;
      case onnx::AttributeProto::INTS:
        value = Ints(proto.ints().begin(), proto.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        value = Floats(proto.floats().begin(), proto.floats().end());
        break;
      case onnx::AttributeProto::TENSOR: {
        auto tensor = TRY(constant(proto.t(), fmt::format("{}: attribute {}", node.label(), in_quotes(name))));
        value = std::move(tensor);
        break;
      }
      case onnx::AttributeProto::GRAPH: {
        if (!is_control(node.type)) return {};
        auto body = TRY(read_body(proto.g(), scope));
        value = std::shared_ptr<const OnnxBody>(std::move(body));
        break;
      }
      default:
        return {};
    }
    node.attributes.insert_or_assign(name, std::move(value));
    return {};
  }

  Result<std::shared_ptr<OnnxBody>> read_body(const onnx::GraphProto& graph, Scope& outer) {
    auto body = std::make_shared<OnnxBody>();
    Scope scope = {.outer = &outer,
                   .locals = &body->locals,
                   .nodes = &body->nodes,
                   .prefix = outer.prefix,
                   .arguments = outer.arguments};
    TRY(add_constants(graph, scope));
    for (const auto& input : graph.input()) {
      const ValueId id = own_id(input.name(), scope);
      if (!graph_.values[id].constant) body->inputs.push_back(id);
    }
    for (const auto& node : graph.node()) TRY(add_node(node, scope));
    for (const auto& output : graph.output()) body->outputs.push_back(read_id(output.name(), scope));
    return body;
  }

  OnnxGraph graph_;
  std::unordered_set<ValueId> inputs_;
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
  std::vector<const onnx::FunctionProto*> calls_;  // that are being put in place
  std::size_t inlined_ = 0;
};

}  // namespace

Result<OnnxGraph> read_onnx_graph(std::string_view bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return bad_input("libprotobuf cannot parse it; is this an ONNX file?");
  }
  return ProtoReader().read(model);
}

}  // namespace rooftile
