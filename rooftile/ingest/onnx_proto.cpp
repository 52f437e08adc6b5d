// Reads an ONNX protobuf, already without its weights, into an OnnxGraph.
#include "rooftile/ingest/onnx_proto.hpp"

#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "rooftile/base/try.hpp"
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

    for (const auto& tensor : model.graph().initializer()) {
      TRY(add_constant(tensor.name(), tensor));
    }
    for (const auto& sparse : model.graph().sparse_initializer()) {
      onnx::TensorProto dense;  // as large as what it stands for: kernels of the models here are dense
      dense.set_data_type(sparse.values().data_type());
      *dense.mutable_dims() = sparse.dims();
      TRY(add_constant(sparse.values().name(), dense));
    }
    for (const auto& input : model.graph().input()) {
      TRY(add_input(input));
    }
    for (const auto& node : model.graph().node()) {
      TRY(add_node(node));
    }
    for (const auto& output : model.graph().output()) graph_.outputs.push_back(id(output.name()));
    return std::move(graph_);
  }

 private:
  ValueId id(const std::string& name) {
    const auto [found, fresh] = ids_.try_emplace(name, graph_.values.size());
    if (fresh) graph_.values.emplace_back().name = name;
    return found->second;
  }

  Result<void> add_constant(const std::string& name, const onnx::TensorProto& tensor) {
    auto value = TRY(constant(tensor, "initializer " + in_quotes(name)));
    const ValueId at = id(name);
    if (graph_.values[at].constant) return bad_input(fmt::format("initializer {} appears twice", in_quotes(name)));
    value.name = name;
    value.learned = !value.data && is_floating(value.dtype);
    graph_.values[at] = std::move(value);
    return {};
  }

  Result<void> add_input(const onnx::ValueInfoProto& info) {
    const ValueId at = id(info.name());
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

  Result<void> add_node(const onnx::NodeProto& proto) {
    OnnxNode node;
    const bool standard = proto.domain().empty() || proto.domain() == "ai.onnx";
    node.type = standard ? proto.op_type() : proto.domain() + "." + proto.op_type();
    const std::string& first = proto.output().empty() ? proto.op_type() : proto.output(0);
    node.name = !proto.name().empty() ? proto.name() : !first.empty() ? first : "unnamed";
    if (node.type.empty()) return bad_input(node.label() + " has no operator");
    for (const auto& attribute : proto.attribute()) {
      TRY(add_attribute(attribute, node));
    }
    for (const auto& name : proto.input()) node.inputs.push_back(name.empty() ? kAbsent : id(name));
    for (const auto& name : proto.output()) node.outputs.push_back(name.empty() ? kAbsent : id(name));
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  // Attributes of other types (graphs, strings) belong to operators that are not supported.
  static Result<void> add_attribute(const onnx::AttributeProto& proto, OnnxNode& node) {
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
        auto tensor = TRY(constant(proto.t(), fmt::format("{}: attribute {}", node.label(), in_quotes(proto.name()))));
        value = std::move(tensor);
        break;
      }
      default:
        return {};
    }
    node.attributes.insert_or_assign(proto.name(), std::move(value));
    return {};
  }

  OnnxGraph graph_;
  std::unordered_map<std::string, ValueId> ids_;
  std::unordered_set<ValueId> inputs_;
};

}  // namespace

std::optional<DType> dtype_of_onnx(int elem_type) {
  switch (elem_type) {
    case onnx::TensorProto::FLOAT:
      return DType::fp32;
    case onnx::TensorProto::DOUBLE:
      return DType::fp64;
    case onnx::TensorProto::FLOAT16:
      return DType::fp16;
    case onnx::TensorProto::BFLOAT16:
      return DType::bf16;
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
      return DType::int64;
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return DType::int32;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
      return DType::int16;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
      return DType::int8;
    case onnx::TensorProto::BOOL:
      return DType::boolean;
    case 17:  // FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, newer than this libonnx
    case 18:
    case 19:
    case 20:
      return DType::fp8;
    case 21:  // UINT4, INT4, newer too
    case 22:
      return DType::int4;
    default:
      return std::nullopt;  // strings, complex numbers, FLOAT4E2M1
  }
}

int onnx_type_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return onnx::TensorProto::DOUBLE;
    case DType::fp32:
    case DType::tf32:
      return onnx::TensorProto::FLOAT;
    case DType::fp16:
      return onnx::TensorProto::FLOAT16;
    case DType::bf16:
      return onnx::TensorProto::BFLOAT16;
    case DType::fp8:
      return 17;  // FLOAT8E4M3FN
    case DType::int64:
      return onnx::TensorProto::INT64;
    case DType::int32:
      return onnx::TensorProto::INT32;
    case DType::int16:
      return onnx::TensorProto::INT16;
    case DType::int8:
      return onnx::TensorProto::INT8;
    case DType::int4:
      return 22;
    case DType::boolean:
      return onnx::TensorProto::BOOL;
  }
  return onnx::TensorProto::UNDEFINED;
}

Result<OnnxGraph> read_onnx_graph(std::string_view bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return bad_input("libprotobuf cannot parse it; is this an ONNX file?");
  }
  return ProtoReader().read(model);
}

}  // namespace rooftile
