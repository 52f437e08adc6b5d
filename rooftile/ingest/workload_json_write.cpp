// Writes as a person would: what follows from the rest is left out, one op a line.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/ingest/workload_json_attributes.hpp"
#include "rooftile/ops/infer.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// Attributes that differ from a default-made one; `fitted` ones only on demand.
template <class T>
void write_attributes(Json& json, const T& value, bool with_fitted) {
  const T standard;
  for (const Attribute<T>& attribute : kAttributes<T>) {
    if (attribute.fitted && !with_fitted) continue;
    std::visit(
        [&](auto member) {
          if (value.*member != standard.*member || attribute.fitted) json[attribute.name] = value.*member;
        },
        attribute.member);
  }
}

void write_axes(Json& json, const Conv& conv, std::size_t rank, bool with_fitted) {
  const ConvAxis standard;
  for (const Attribute<ConvAxis>& attribute : kAxisAttributes) {
    if (attribute.fitted && !with_fitted) continue;
    const auto member = std::get<std::int64_t ConvAxis::*>(attribute.member);
    std::vector<std::int64_t> numbers;
    bool needed = attribute.fitted || member == &ConvAxis::filter;
    for (std::size_t i = conv.axes.size() - rank; i < conv.axes.size(); ++i) {
      const ConvAxis& axis = conv.axes[i];
      numbers.push_back(axis.*member);
      needed |= axis.*member != (member == &ConvAxis::pad_end ? axis.pad_begin : standard.*member);
    }
    if (!needed) continue;
    const bool equal = std::all_of(numbers.begin(), numbers.end(), [&](auto number) { return number == numbers[0]; });
    if (equal) {
      json[attribute.name] = numbers[0];
    } else {
      json[attribute.name] = numbers;
    }
  }
}

// Writes a kind's attributes, without those that the reader finds by itself.
struct WriteKind {
  Json& json;
  const std::vector<Shape>& inputs;

  template <class Kind>
  void operator()(const Kind& kind) const {
    write_attributes(json, kind, false);
  }
  void operator()(const Conv& conv) const {
    Conv fitted = conv;
    const bool fits = !inputs.empty() && fit(fitted, inputs.front()) && fitted == conv;
    const std::size_t rank = inputs.empty() ? 3 : std::clamp<std::size_t>(inputs.front().size(), 3, 5) - 2;
    json["out_channels"] = conv.out_channels;
    write_axes(json, conv, rank, !fits);
    write_attributes(json, conv, !fits);
  }
  void operator()(const Gemm& gemm) const {
    Gemm fitted = gemm;
    const bool fits = fit(fitted, inputs) && fitted == gemm;
    json["n"] = gemm.n;
    write_attributes(json, gemm, !fits);
  }
  void operator()(const Attention& attention) const {
    Attention fitted = attention;
    const bool fits = fit(fitted, inputs) && fitted == attention;
    write_attributes(json, attention, !fits);
  }
  void operator()(const Recurrent& recurrent) const {
    Recurrent fitted = recurrent;
    const bool fits = !inputs.empty() && fit(fitted, inputs.front()) && fitted == recurrent;
    json["hidden"] = recurrent.hidden;
    write_attributes(json, recurrent, !fits);
  }
};

class Writer {
 public:
  // `every_tensor`: lists all tensors in their order, and implies no weights.
  Writer(const Workload& workload, bool every_tensor) : workload_(workload), every_tensor_(every_tensor) {}

  std::string write() const {
    std::string text = "{\n  \"schema\": " + dump(kWorkloadSchema) + ",\n  \"name\": " + dump(workload_.name);
    if (workload_.batch_size != implied_batch_size()) {
      text += ",\n  \"batch_size\": " + std::to_string(workload_.batch_size);
    }
    std::vector<Json> inputs;
    for (const TensorId id : workload_.inputs) inputs.push_back(described(workload_.tensors[id], false));
    if (every_tensor_) text += ",\n" + list("tensors", tensors());
    text += ",\n" + list("inputs", inputs);
    std::vector<Json> ops;
    for (const Op& op : workload_.ops) ops.push_back(write_op(op));
    text += ",\n" + list("ops", ops) + ",\n  \"outputs\": " + dump(names(workload_.outputs));
    std::vector<Json> skipped;
    for (const Skipped& op : workload_.skipped) skipped.push_back({{"name", op.name}, {"op_type", op.op_type}});
    if (!skipped.empty()) text += ",\n" + list("skipped", skipped);
    if (!workload_.notes.empty()) text += ",\n" + list("notes", {workload_.notes.begin(), workload_.notes.end()});
    return text + "\n}\n";
  }

 private:
  // A name that is not UTF-8 cannot stand in JSON; its odd bytes are replaced.
  static std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  static std::string list(const char* key, const std::vector<Json>& items) {
    std::string text = std::string("  \"") + key + "\": [";
    for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ",\n    " : "\n    ") + dump(items[i]);
    return text + "\n  ]";
  }

  std::int64_t implied_batch_size() const {
    if (workload_.inputs.empty()) return 1;
    const Shape& first = workload_.tensors[workload_.inputs.front()].shape;
    return first.empty() ? 1 : first.front();
  }

  std::vector<std::string> names(const std::vector<TensorId>& ids) const {
    std::vector<std::string> result;
    for (const TensorId id : ids) result.push_back(workload_.tensors[id].name);
    return result;
  }

  static Json described(const Tensor& tensor, bool constant) {
    Json json = {{"name", tensor.name}, {"shape", tensor.shape}};
    if (tensor.dtype != DType::fp32) json["dtype"] = name_of(tensor.dtype);
    if (tensor.constant != constant) json["constant"] = tensor.constant;
    return json;
  }

  // Tensors that appear elsewhere stand here by name only.
  std::vector<Json> tensors() const {
    std::vector<bool> elsewhere(workload_.tensors.size());
    for (const TensorId id : workload_.inputs) elsewhere[id] = true;
    for (const Op& op : workload_.ops) {
      for (const TensorId id : op.outputs) elsewhere[id] = true;
    }
    std::vector<Json> result;
    for (std::size_t id = 0; id < elsewhere.size(); ++id) {
      const Tensor& tensor = workload_.tensors[id];
      result.push_back(elsewhere[id] ? Json(tensor.name) : described(tensor, true));
    }
    return result;
  }

  // The inputs to write: the activations alone where the rest is what they imply.
  std::vector<TensorId> written_inputs(const Op& op) const {
    if (every_tensor_ || op.inputs.size() < 2) return op.inputs;
    const Tensor& first = workload_.tensors[op.inputs.front()];
    std::vector<Tensor> rest;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) rest.push_back(workload_.tensors[op.inputs[i]]);
    if (implied_weights(op.kind, op.name, first.shape, first.dtype) != rest) return op.inputs;
    return {op.inputs.front()};
  }

  // The shape as the reader resolves it: a leading dimension that the first input shares follows the batch size.
  static Shape wanted(const Shape& shape, const std::vector<Shape>& inputs) {
    Shape result = shape;
    if (!shape.empty() && !inputs.empty() && !inputs.front().empty() && inputs.front().front() == shape.front()) {
      result.front() = 0;
    }
    return result;
  }

  Json write_op(const Op& op) const {
    const std::vector<TensorId> ids = written_inputs(op);
    std::vector<Shape> inputs;
    for (const TensorId id : ids) inputs.push_back(workload_.tensors[id].shape);
    Json json = {{"name", op.name}, {"op", name_of(op.kind)}, {"inputs", names(ids)}};
    std::visit(WriteKind{json, inputs}, op.kind);
    if (op.inputs.size() == 1 && !implied_weights(op.kind, op.name, inputs.front(), DType::fp32).empty()) {
      json["weights"] = false;
    }
    write_outputs(json, op, inputs);
    return json;
  }

  void write_outputs(Json& json, const Op& op, const std::vector<Shape>& inputs) const {
    const DType inherited = op.inputs.empty() ? DType::fp32 : workload_.tensors[op.inputs.front()].dtype;
    const auto inferred = infer_shape(op.kind, inputs);
    std::vector<Json> outputs;
    for (const TensorId id : op.outputs) {
      const Tensor& tensor = workload_.tensors[id];
      Json output = {{"name", tensor.name}};
      if (tensor.dtype != inherited) output["dtype"] = name_of(tensor.dtype);
      if (!inferred || *inferred != tensor.shape) output["shape"] = wanted(tensor.shape, inputs);
      outputs.push_back(std::move(output));
    }
    if (outputs.size() == 1 && outputs[0]["name"] == op.name && !outputs[0].contains("dtype")) {
      if (outputs[0].contains("shape")) json["shape"] = outputs[0]["shape"];
      return;
    }
    json["outputs"] = outputs;
  }

  const Workload& workload_;
  bool every_tensor_;
};

}  // namespace

std::string write_workload_json(const Workload& workload) {
  std::string brief = Writer(workload, false).write();
  const auto again = parse_workload_json(brief, workload.name);
  return again && *again == workload ? brief : Writer(workload, true).write();
}

}  // namespace rooftile
