#include "rooftile/ingest/onnx_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_makers.hpp"
#include "rooftile/ops/shapes.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

using Types = std::vector<OnnxType>;

Result<Shape> shape_at(const OnnxGraph& graph, const OnnxNode& node, std::size_t i) {
  if (node.input(i) == kAbsent) return bad_input(fmt::format("input {} is missing", i));
  return graph.shape(node.inputs[i]);
}

DType type_at(const OnnxGraph& graph, const OnnxNode& node, std::size_t i) {
  return graph.values[node.inputs[i]].dtype;
}

const Ints* known_elements(const OnnxGraph& graph, const OnnxNode& node, std::size_t i) {
  if (node.input(i) == kAbsent || !graph.values[node.inputs[i]].data) return nullptr;
  return std::get_if<Ints>(&*graph.values[node.inputs[i]].data);
}

// A number that may be written as an integer or not.
std::optional<std::int64_t> known_number(const OnnxGraph& graph, const OnnxNode& node, std::size_t i) {
  if (const Ints* known = known_elements(graph, node, i)) {
    return known->size() == 1 ? std::optional(known->front()) : std::nullopt;
  }
  if (node.input(i) == kAbsent || !graph.values[node.inputs[i]].data) return std::nullopt;
  const Floats& floats = std::get<Floats>(*graph.values[node.inputs[i]].data);
  if (floats.size() != 1 || !(std::abs(floats[0]) <= static_cast<double>(kMaxDimension))) return std::nullopt;
  return static_cast<std::int64_t>(floats[0]);
}

Result<std::size_t> axis_in(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit) return bad_input(fmt::format("axis {} is out of range", axis));
  return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

// As many as there are, as far as a dimension goes: what is too large is found when the shape is checked.
std::int64_t count_of(double elements) {
  return static_cast<std::int64_t>(std::min(elements, 2 * static_cast<double>(kMaxDimension)));
}

std::size_t not_zero(const Ints& elements) {
  return static_cast<std::size_t>(
      std::count_if(elements.begin(), elements.end(), [](std::int64_t element) { return element != 0; }));
}

Result<Types> same_for_all(const OnnxNode& node, Shape shape, DType type) {
  return Types(node.outputs.size(), OnnxType{std::move(shape), type});
}

Result<Types> fused_mat_mul_rule(const OnnxGraph& graph, const OnnxNode& node) {
  auto product = TRY(fused_product(graph, node));
  return same_for_all(node, std::move(product.output), type_at(graph, node, 0));
}

Result<Types> layout_rule(const OnnxGraph& graph, const OnnxNode& node) {
  Shape shape = TRY(shape_at(graph, node, 0));
  if (shape.size() < 3) return bad_input(fmt::format("{} has no spatial dimensions", print(shape)));
  if (node.type == "ToChannelsFirst") {
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  } else {
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  }
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

Result<Types> broadcast_rule(const OnnxGraph& graph, const OnnxNode& node) {
  Shape shape = TRY(shape_at(graph, node, 0));
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Shape other = TRY(shape_at(graph, node, i));
    shape = TRY(broadcast(shape, other));
  }
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

Result<Types> non_zero_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape shape = TRY(shape_at(graph, node, 0));
  const Ints* known = known_elements(graph, node, 0);
  const std::int64_t found = known ? static_cast<std::int64_t>(not_zero(*known)) : count_of(elements(shape));
  return same_for_all(node, {static_cast<std::int64_t>(std::max<std::size_t>(shape.size(), 1)), found}, DType::int64);
}

Result<Types> suppression_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape boxes = TRY(shape_at(graph, node, 0)), scores = TRY(shape_at(graph, node, 1));
  if (boxes.size() != 3 || scores.size() != 3 || boxes[1] != scores[2]) {
    return bad_input(fmt::format("boxes {} and scores {} do not fit", print(boxes), print(scores)));
  }
  std::int64_t kept = scores[2];
  if (const auto most = known_number(graph, node, 2)) {
    if (*most < 1) return bad_input(fmt::format("keeps {} boxes of a class", *most));
    kept = std::min(kept, *most);
  }
  const double all = static_cast<double>(scores[0]) * static_cast<double>(scores[1]) * static_cast<double>(kept);
  return same_for_all(node, {count_of(all), 3}, DType::int64);
}

Result<Types> one_hot_rule(const OnnxGraph& graph, const OnnxNode& node) {
  Shape shape = TRY(shape_at(graph, node, 0));
  TRY(shape_at(graph, node, 2));
  const auto depth = known_number(graph, node, 1);
  if (!depth) return fail(ErrorCode::unsupported, "its depth cannot be known before the network runs");
  const auto at = TRY(axis_in(node.get_int("axis", -1), shape.size() + 1));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), *depth);
  return same_for_all(node, std::move(shape), type_at(graph, node, 2));
}

std::optional<std::int64_t> top_k_of(const OnnxGraph& graph, const OnnxNode& node) {
  return graph.opset < 10 ? std::optional(node.get_int("k", 0)) : known_number(graph, node, 1);
}

Result<Types> top_k_rule(const OnnxGraph& graph, const OnnxNode& node) {
  Shape shape = TRY(shape_at(graph, node, 0));
  const auto at = TRY(axis_in(node.get_int("axis", -1), shape.size()));
  if (const auto k = top_k_of(graph, node)) {
    if (*k < 1 || *k > shape[at]) return bad_input(fmt::format("its k is {}, not between 1 and {}", *k, shape[at]));
    shape[at] = *k;
  }
  Types types(node.outputs.size(), OnnxType{shape, DType::int64});
  types[0].dtype = type_at(graph, node, 0);
  return types;
}

Result<Types> compress_rule(const OnnxGraph& graph, const OnnxNode& node) {
  Shape shape = TRY(shape_at(graph, node, 0));
  const Shape condition = TRY(shape_at(graph, node, 1));
  const Ints* known = known_elements(graph, node, 1);
  const double chosen = known ? static_cast<double>(not_zero(*known)) : elements(condition);
  if (node.attributes.find("axis") == node.attributes.end()) {
    return same_for_all(node, {count_of(std::min(chosen, elements(shape)))}, type_at(graph, node, 0));
  }
  const auto at = TRY(axis_in(node.get_int("axis", 0), shape.size()));
  shape[at] = count_of(std::min(chosen, static_cast<double>(shape[at])));
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

Result<Types> unique_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape shape = TRY(shape_at(graph, node, 0));
  const bool flat = node.attributes.find("axis") == node.attributes.end();
  std::int64_t count = count_of(elements(shape));
  if (!flat) count = shape[TRY(axis_in(node.get_int("axis", 0), shape.size()))];
  Types types(node.outputs.size(), OnnxType{{count}, DType::int64});
  types[0] = {flat ? Shape{count} : shape, type_at(graph, node, 0)};
  return types;
}

Result<Types> grid_sample_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape input = TRY(shape_at(graph, node, 0)), grid = TRY(shape_at(graph, node, 1));
  if (input.size() < 4 || grid.size() != input.size() || grid.back() != static_cast<std::int64_t>(input.size()) - 2 ||
      grid[0] != input[0]) {
    return bad_input(fmt::format("grid {} does not fit input {}", print(grid), print(input)));
  }
  Shape shape = {input[0], input[1]};
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

Result<Types> roi_align_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape input = TRY(shape_at(graph, node, 0)), boxes = TRY(shape_at(graph, node, 1));
  if (input.size() != 4 || boxes.size() != 2) {
    return bad_input(fmt::format("boxes {} do not fit input {}", print(boxes), print(input)));
  }
  return same_for_all(node, {boxes[0], input[1], node.get_int("output_height", 1), node.get_int("output_width", 1)},
                      type_at(graph, node, 0));
}

Result<Types> col_to_im_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape input = TRY(shape_at(graph, node, 0));
  const Ints *image = known_elements(graph, node, 1), *block = known_elements(graph, node, 2);
  if (!image || !block) return fail(ErrorCode::unsupported, "its image cannot be known before the network runs");
  const double taps = elements(*block);
  if (input.size() != 3 || taps < 1 || std::fmod(static_cast<double>(input[1]), taps) != 0) {
    return bad_input(fmt::format("blocks of {} do not fit input {}", print(*block), print(input)));
  }
  Shape shape = {input[0], input[1] / static_cast<std::int64_t>(taps)};
  shape.insert(shape.end(), image->begin(), image->end());
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

Result<Types> affine_grid_rule(const OnnxGraph& graph, const OnnxNode& node) {
  const Ints* size = known_elements(graph, node, 1);
  if (!size) return fail(ErrorCode::unsupported, "its size cannot be known before the network runs");
  if (size->size() < 3) return bad_input(fmt::format("its size {} has no spatial dimensions", print(*size)));
  TRY(shape_at(graph, node, 0));
  Shape shape = {size->front()};
  shape.insert(shape.end(), size->begin() + 2, size->end());
  shape.push_back(static_cast<std::int64_t>(size->size()) - 2);
  return same_for_all(node, std::move(shape), type_at(graph, node, 0));
}

struct RuleRow {
  std::string_view type;
  ShapeRule rule;
};
constexpr std::array kRules = {
    RuleRow{"AffineGrid", affine_grid_rule}, RuleRow{"BitwiseAnd", broadcast_rule},
    RuleRow{"BitwiseNot", broadcast_rule},   RuleRow{"BitwiseOr", broadcast_rule},
    RuleRow{"BitwiseXor", broadcast_rule},   RuleRow{"Col2Im", col_to_im_rule},
    RuleRow{"Compress", compress_rule},      RuleRow{"FusedMatMul", fused_mat_mul_rule},
    RuleRow{"GridSample", grid_sample_rule}, RuleRow{"NonMaxSuppression", suppression_rule},
    RuleRow{"NonZero", non_zero_rule},       RuleRow{"OneHot", one_hot_rule},
    RuleRow{"RoiAlign", roi_align_rule},     RuleRow{"ToChannelsFirst", layout_rule},
    RuleRow{"ToChannelsLast", layout_rule},  RuleRow{"TopK", top_k_rule},
    RuleRow{"Unique", unique_rule},
};

}  // namespace

ShapeRule find_shape_rule(std::string_view onnx_type) {
  for (const RuleRow& row : kRules) {
    if (row.type == onnx_type) return row.rule;
  }
  return nullptr;
}

std::string assumption_of(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.type == "NonZero" && !known_elements(graph, node, 0)) return "every element is taken for not zero";
  if (node.type == "NonMaxSuppression") return "as many boxes are kept as may be";
  if (node.type == "TopK" && !top_k_of(graph, node)) return "all elements are kept";
  if (node.type == "Compress" && !known_elements(graph, node, 1)) return "all elements are kept";
  if (node.type == "DeformConv") return "the positions that it samples are taken for fixed";
  if (node.type == "Unique") return "all elements are taken for different";
  return "";
}

}  // namespace rooftile
