#include "rooftile/ingest/onnx_lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rooftile/workload/bad_input.hpp"

namespace rooftile {

Result<ValueId> Lowering::need(std::size_t i) const {
  if (node_.input(i) == kAbsent) return bad_input(fmt::format("input {} is missing", i));
  return node_.inputs[i];
}

ValueId Lowering::out(std::size_t i, std::string_view suffix) { return wants(i) ? node_.outputs[i] : between(suffix); }

std::optional<std::int64_t> Lowering::number(ValueId id) const {
  if (id == kAbsent || !graph_.values[id].data) return std::nullopt;
  const Ints* known = std::get_if<Ints>(&*graph_.values[id].data);
  return known != nullptr && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

ValueId Lowering::between(std::string_view suffix) {
  graph_.values.emplace_back().name = fmt::format("{}.{}", node_.name, suffix);
  return graph_.values.size() - 1;
}

ValueId Lowering::constant(Ints elements) {
  OnnxValue& value = graph_.values.emplace_back();
  value.name = node_.name + ".constant";
  value.shape = {static_cast<std::int64_t>(elements.size())};
  value.dtype = DType::int64;
  value.constant = true;
  value.data = std::move(elements);
  return graph_.values.size() - 1;
}

void Lowering::make_constant(std::size_t i, DType type, Shape shape) {
  if (!wants(i)) return;
  OnnxValue& value = graph_.values[node_.outputs[i]];
  value.constant = true;
  value.dtype = type;
  value.shape = std::move(shape);
}

ValueId Lowering::add(std::string_view type, std::vector<ValueId> inputs, ValueId output, Attributes attributes) {
  add_node(type, std::move(inputs), {output}, std::move(attributes));
  return output;
}

OnnxNode& Lowering::add_node(std::string_view type, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                             Attributes attributes) {
  OnnxNode& node = nodes_.emplace_back();
  node.name = node_.name;
  node.type = type;
  while (!inputs.empty() && inputs.back() == kAbsent) inputs.pop_back();
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  return node;
}

Lowering::Attributes Lowering::attributes_without(std::initializer_list<std::string_view> dropped) const {
  Attributes kept = node_.attributes;
  for (const std::string_view name : dropped) {
    if (const auto found = kept.find(name); found != kept.end()) kept.erase(found);
  }
  return kept;
}

Lowering::Attributes of_shape(const Shape& shape) { return {{std::string(kShapeAttribute), shape}}; }

Lowering::Attributes of_type(DType type) { return {{std::string(kTypeAttribute), static_cast<std::int64_t>(type)}}; }

Lowering::Attributes of(const Shape& shape, DType type) {
  Lowering::Attributes both = of_shape(shape);
  both.merge(of_type(type));
  return both;
}

}  // namespace rooftile
