// Shapes of one node's outputs by libonnx's schemas. One node at a time, in order: so constants that earlier nodes
// computed are at hand, each result is checked before it is used, and an error has a node to name.
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>
#include <onnx/onnx_pb.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_einsum.hpp"
#include "rooftile/ingest/onnx_fold.hpp"
#include "rooftile/ingest/onnx_lowering.hpp"
#include "rooftile/ingest/onnx_ops.hpp"
#include "rooftile/ingest/onnx_proto.hpp"
#include "rooftile/ingest/onnx_rules.hpp"
#include "rooftile/ingest/onnx_types.hpp"

namespace rooftile {
namespace {

// Operators younger than libonnx's schemas whose (first) output looks like their first input.
constexpr std::array<std::string_view, 6> kSameShape = {
    "Gelu", "GroupNormalization", "Mish", "RMSNormalization", "RotaryEmbedding", "Swish"};

// Operators that are no op of a workload, but whose shapes are needed where --skip-unsupported leaves them out. Only
// rules that stood up to fuzzing: others of libonnx 1.12, STFT's for one, read out of bounds on bad input.
constexpr std::array<std::string_view, 8> kSkippable = {{"Bernoulli", "Det", "Hardmax", "LpNormalization", "MaxRoiPool",
                                                         "MeanVarianceNormalization", "RandomNormalLike", "Shrink"}};

template <std::size_t count>
bool contains(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

onnx::TensorProto tensor_proto(const OnnxValue& value) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx_type_of(value.dtype));
  for (const std::int64_t dim : value.shape) tensor.add_dims(dim);
  if (!value.data) return tensor;
  if (const Ints* ints = std::get_if<Ints>(&*value.data)) {
    for (const std::int64_t element : *ints) {
      if (value.dtype == DType::int64) {
        tensor.add_int64_data(element);
      } else {
        tensor.add_int32_data(static_cast<std::int32_t>(element));
      }
    }
  } else {
    for (const double element : std::get<Floats>(*value.data)) {
      if (value.dtype == DType::fp64) {
        tensor.add_double_data(element);
      } else {
        tensor.add_float_data(static_cast<float>(element));
      }
    }
  }
  return tensor;
}

struct SetAttribute {
  onnx::AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const Ints& value) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t element : value) proto.add_ints(element);
  }
  void operator()(const Floats& value) const {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const double element : value) proto.add_floats(static_cast<float>(element));
  }
  void operator()(const OnnxValue& value) const {
    proto.set_type(onnx::AttributeProto::TENSOR);
    *proto.mutable_t() = tensor_proto(value);
  }
  void operator()(const std::shared_ptr<const OnnxBody>&) const { proto.set_type(onnx::AttributeProto::UNDEFINED); }
};

onnx::NodeProto node_proto(const OnnxNode& node) {
  onnx::NodeProto proto;
  proto.set_op_type(node.type);
  proto.set_name(node.name);
  for (const ValueId id : node.inputs) proto.add_input(id == kAbsent ? "" : std::to_string(id));
  for (const ValueId id : node.outputs) proto.add_output(id == kAbsent ? "" : std::to_string(id));
  for (const auto& [name, value] : node.attributes) {
    if (name.starts_with("rooftile.")) continue;
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    std::visit(SetAttribute{attribute}, value);
  }
  return proto;
}

// What a schema's inference function sees of a node.
class Context final : public onnx::InferenceContext {
 public:
  Context(const OnnxGraph& graph, const OnnxNode& node, const onnx::NodeProto& proto)
      : proto_(proto), outputs_(node.outputs.size()) {
    inputs_.resize(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kAbsent) continue;
      const OnnxValue& value = graph.values[node.inputs[i]];
      Input& input = inputs_[i];
      input.present = true;
      auto& type = *input.type.mutable_tensor_type();
      type.set_elem_type(onnx_type_of(value.dtype));
      type.mutable_shape();
      for (const std::int64_t dim : value.shape) type.mutable_shape()->add_dim()->set_dim_value(dim);
      const bool narrow = is_floating(value.dtype) && value.dtype != DType::fp32 && value.dtype != DType::fp64;
      input.has_data = value.data.has_value() && !narrow;  // libonnx reads no numbers in 16 bits
      if (input.has_data) input.data = tensor_proto(value);
    }
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    for (const auto& attribute : proto_.attribute()) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }
  std::size_t getNumInputs() const override { return inputs_.size(); }
  const onnx::TypeProto* getInputType(std::size_t i) const override {
    const Input& input = inputs_.at(i);
    return input.present ? &input.type : nullptr;
  }
  const onnx::TensorProto* getInputData(std::size_t i) const override {
    const Input& input = inputs_.at(i);
    return input.has_data ? &input.data : nullptr;
  }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(std::size_t i) override { return &outputs_.at(i); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    fail_type_inference("graphs within nodes are not supported");
  }
  const onnx::SparseTensorProto* getInputSparseData(std::size_t i) const override {
    static_cast<void>(inputs_.at(i));
    return nullptr;
  }
  const onnx::TensorShapeProto* getSymbolicInput(std::size_t i) const override {
    static_cast<void>(inputs_.at(i));
    return nullptr;
  }

  const std::vector<onnx::TypeProto>& outputs() const { return outputs_; }

 private:
  struct Input {
    bool present = false;
    bool has_data = false;
    onnx::TypeProto type;
    onnx::TensorProto data;
  };

  const onnx::NodeProto& proto_;
  std::vector<Input> inputs_;
  std::vector<onnx::TypeProto> outputs_;
};

// The schema by which the shapes of an operator are known, null if there is none.
const onnx::OpSchema* schema_of(std::string_view type, int opset) {
  const bool trusted = onnx_op_known(type) || is_shape_only(type) || contains(kSkippable, type);
  const onnx::OpSchema* schema =
      !trusted ? nullptr : onnx::OpSchemaRegistry::Schema(std::string(type), std::min(opset, kNewestSchema), "");
  const bool usable = schema && !schema->Deprecated() && schema->has_type_and_shape_inference_function();
  return usable ? schema : nullptr;
}

// libonnx's message on one line, without its "[ShapeInferenceError] ".
std::string message_of(const std::exception& error) {
  std::string_view text = error.what();
  text = text.substr(0, text.find('\n'));
  const std::size_t tag = text.find("] ");
  if (tag != std::string_view::npos && text.front() == '[') text.remove_prefix(tag + 2);
  return one_line(text);
}

}  // namespace

bool has_shape_rule(std::string_view type, int opset) {
  return contains(kSameShape, type) || find_shape_rule(type) != nullptr || schema_of(type, opset) != nullptr;
}

namespace {

Result<std::vector<OnnxType>> infer_by_rules(const OnnxGraph& graph, const OnnxNode& node) {
  std::vector<OnnxType> types(node.outputs.size());
  if (const auto given = node.attributes.find(kShapeAttribute);
      given != node.attributes.end() && node.input(0) != kAbsent) {
    for (OnnxType& type : types) type = {std::get<Ints>(given->second), graph.values[node.inputs[0]].dtype};
    return types;
  }
  if (const ShapeRule rule = find_shape_rule(node.type)) return rule(graph, node);
  if (contains(kSameShape, node.type) && node.input(0) != kAbsent) {
    for (OnnxType& type : types) type = {graph.shape(node.inputs[0]), graph.values[node.inputs[0]].dtype};
    return types;
  }
  if (node.type == "Einsum" && types.size() == 1) {  // libonnx knows the number of its dimensions alone
    const auto einsum = TRY(read_einsum(graph, node));
    types[0] = {einsum.output, graph.values[node.inputs[0]].dtype};
    return types;
  }
  const onnx::OpSchema* schema = schema_of(node.type, graph.opset);
  if (!schema) {
    return fail(ErrorCode::unsupported,
                fmt::format("the shapes of its outputs are not known: {} has no rule in operator set {}",
                            one_line(node.type, 100), graph.opset));
  }
  const onnx::NodeProto proto = node_proto(node);
  Context context(graph, node, proto);
  try {
    schema->Verify(proto);
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception& error) {
    return fail(ErrorCode::bad_input, message_of(error));
  }

  for (std::size_t i = 0; i < types.size(); ++i) {
    if (node.outputs[i] == kAbsent) continue;
    const onnx::TypeProto& type = context.outputs()[i];
    const std::string unknown = "the shape of its output cannot be known before the network runs";
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return fail(ErrorCode::unsupported, unknown);
    const auto dtype = dtype_of_onnx(type.tensor_type().elem_type());
    if (!dtype) return fail(ErrorCode::unsupported, "its output has an unsupported element type");
    types[i].dtype = *dtype;
    for (const auto& dim : type.tensor_type().shape().dim()) {
      if (!dim.has_dim_value()) return fail(ErrorCode::unsupported, unknown);
      types[i].shape.push_back(dim.dim_value());
    }
  }
  return types;
}

}  // namespace

Result<std::vector<OnnxType>> infer_outputs(const OnnxGraph& graph, const OnnxNode& node) {
  auto types = TRY(infer_by_rules(graph, node));
  if (const auto given = node.attributes.find(kTypeAttribute); given != node.attributes.end()) {
    for (OnnxType& type : types) type.dtype = static_cast<DType>(std::get<std::int64_t>(given->second));
  }
  return types;
}

}  // namespace rooftile
