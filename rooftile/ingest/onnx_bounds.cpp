// Sizes that the data decide, as where masks are pasted at the size of their boxes: what they are at most.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "rooftile/ingest/onnx_lowering.hpp"
#include "rooftile/ingest/onnx_resolver.hpp"

namespace rooftile {
namespace {

// Operators that hand on the elements of their first operand in their order.
constexpr std::array<std::string_view, 6> kHandsOn = {"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};

constexpr double kMostParts = 16;  // of what a size is put together from

}  // namespace

std::vector<std::optional<std::int64_t>> OnnxResolver::parts_of(ValueId id) const {
  const OnnxValue& value = graph_.values[id];
  if (const Ints* known = value.data ? std::get_if<Ints>(&*value.data) : nullptr) return {known->begin(), known->end()};
  if (const auto found = parts_.find(id); found != parts_.end()) return found->second;
  return std::vector<std::optional<std::int64_t>>(
      static_cast<std::size_t>(std::min(elements(value.shape), kMostParts)));
}

void OnnxResolver::remember_parts(const OnnxNode& node) {
  const bool joins = node.type == "Concat";
  if (!joins && std::find(kHandsOn.begin(), kHandsOn.end(), node.type) == kHandsOn.end()) return;
  const OnnxValue& made = graph_.values[node.outputs[0]];
  if (is_floating(made.dtype) || made.shape.size() > 1 || elements(made.shape) > kMostParts) return;
  std::vector<std::optional<std::int64_t>> parts;
  for (std::size_t i = 0; i < (joins ? node.inputs.size() : 1); ++i) {
    if (node.input(i) == kAbsent) return;
    const auto part = parts_of(node.inputs[i]);
    parts.insert(parts.end(), part.begin(), part.end());
  }
  const bool any = std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.has_value(); });
  if (any && static_cast<double>(parts.size()) == elements(made.shape)) parts_[node.outputs[0]] = std::move(parts);
}

ValueId OnnxResolver::add_integers(Ints known) {
  OnnxValue& added = graph_.values.emplace_back();
  added.name = "constant";
  added.dtype = DType::int64;
  added.shape = {static_cast<std::int64_t>(known.size())};
  added.constant = true;
  added.data = std::move(known);
  admit();
  return graph_.values.size() - 1;
}

bool OnnxResolver::depends_on_data(ValueId id) const {
  return id != kAbsent && !graph_.values[id].constant && !graph_.values[id].data;
}

void OnnxResolver::bound_by_image(OnnxNode& node) {
  const bool resizes = node.type == "Resize" && graph_.opset >= 11;
  const std::size_t operand = resizes ? 3 : node.type == "Expand" ? 1 : 0;
  if (!resizes && node.type != "Expand" && node.type != "ConstantOfShape") return;
  if (graph_.inputs.empty() || !depends_on_data(node.input(operand))) return;
  const Shape& image = graph_.shape(graph_.inputs.front().value);
  if (image.size() < 3) return;

  const auto parts = parts_of(node.inputs[operand]);
  const Ints axes = resizes ? node.get_ints("axes") : Ints{};
  const std::size_t rank = resizes && node.input(0) != kAbsent ? graph_.shape(node.inputs[0]).size() : parts.size();
  Ints sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]) {
      sizes.push_back(*parts[i]);
      continue;
    }
    const std::int64_t axis = axes.size() == parts.size() ? axes[i] : static_cast<std::int64_t>(i);
    const std::int64_t from_end = axis < 0 ? -axis : static_cast<std::int64_t>(rank) - axis;
    if (from_end != 1 && from_end != 2) return;  // neither a width nor a height
    sizes.push_back(image[image.size() - static_cast<std::size_t>(from_end)]);
  }
  node.inputs[operand] = add_integers(std::move(sizes));
  ++graph_.assumed[node.type + ": a size that depends on the data is taken to be the image's"];
}

void OnnxResolver::bound_slice(OnnxNode& node) {
  if (node.type != "Slice" || node.inputs.size() < 3 || node.inputs.size() > 5) return;
  if (std::count(node.inputs.begin(), node.inputs.begin() + 3, kAbsent) > 0) return;
  const auto open = [&](std::size_t i) { return depends_on_data(node.input(i)); };
  if (open(3) || open(4) || !(open(1) || open(2))) return;
  Shape shape = graph_.shape(node.inputs[0]);
  const auto ends = parts_of(node.inputs[2]);
  const auto listed = node.input(3) == kAbsent ? std::vector<std::optional<std::int64_t>>() : parts_of(node.inputs[3]);
  const auto rank = static_cast<std::int64_t>(shape.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::int64_t axis = i < listed.size() && listed[i] ? *listed[i] : static_cast<std::int64_t>(i);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || !ends[i]) continue;
    std::int64_t& size = shape[static_cast<std::size_t>(axis)];
    if (*ends[i] > 0) size = std::min(size, *ends[i]);
  }
  node.attributes[std::string(kShapeAttribute)] = std::move(shape);
  ++graph_.assumed["Slice: ends that depend on the data are those of the whole"];
}

void OnnxResolver::drop_empty(OnnxNode& node) const {
  if (node.type != "Concat") return;
  const auto empty = [&](ValueId id) {
    return id != kAbsent && graph_.values[id].constant && elements(graph_.shape(id)) < 1;
  };
  if (std::all_of(node.inputs.begin(), node.inputs.end(), empty)) return;
  node.inputs.erase(std::remove_if(node.inputs.begin(), node.inputs.end(), empty), node.inputs.end());
}

}  // namespace rooftile
