#include "rooftile/ingest/onnx_opset18.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_lowering.hpp"
#include "rooftile/ingest/onnx_window.hpp"
#include "rooftile/ops/infer.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

// Reductions whose axes moved from an attribute to an input in opset 18 (ReduceSum: in 13, which libonnx knows).
constexpr std::array<std::string_view, 9> kReductions = {"ReduceL1",        "ReduceL2",   "ReduceLogSum",
                                                         "ReduceLogSumExp", "ReduceMax",  "ReduceMean",
                                                         "ReduceMin",       "ReduceProd", "ReduceSumSquare"};

ValueId add_constant(OnnxGraph& graph, DType dtype, OnnxData data) {
  OnnxValue value;
  value.dtype = dtype;
  value.constant = true;
  value.shape = {std::visit([](const auto& elements) { return static_cast<std::int64_t>(elements.size()); }, data)};
  value.data = std::move(data);
  graph.values.push_back(std::move(value));
  return graph.values.size() - 1;
}

// The values of an optional constant input of integers.
Result<Ints> known_ints(const OnnxGraph& graph, const OnnxNode& node, std::size_t input, std::string_view what) {
  const OnnxValue& value = graph.values[node.inputs[input]];
  if (!value.data || !std::holds_alternative<Ints>(*value.data)) {
    return fail(ErrorCode::unsupported, fmt::format("its {} cannot be known before the network runs", what));
  }
  return std::get<Ints>(*value.data);
}

Result<Ints> axes_in_range(Ints axes, std::size_t rank) {
  for (std::int64_t& axis : axes) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (axis < -limit || axis >= limit) return bad_input(fmt::format("axis {} is out of range", axis));
    if (axis < 0) axis += limit;
  }
  return axes;
}

Result<void> lower_reduction(const OnnxGraph& graph, OnnxNode& node) {
  const bool keep_all = node.get_int("noop_with_empty_axes", 0) != 0;
  node.attributes.erase("noop_with_empty_axes");
  Ints axes;
  if (node.input(1) != kAbsent) {
    auto known = TRY(known_ints(graph, node, 1, "axes"));
    axes = std::move(known);
  }
  node.inputs.resize(std::min<std::size_t>(node.inputs.size(), 1));
  if (!axes.empty()) {
    node.attributes.insert_or_assign("axes", std::move(axes));
  } else if (keep_all && node.attributes.find("axes") == node.attributes.end()) {
    node.type = "Identity";
    node.attributes.clear();
  }
  return {};
}

// num_outputs: equal parts, the last one smaller where they do not come out even.
Result<void> lower_split(OnnxGraph& graph, OnnxNode& node) {
  const std::int64_t parts = node.get_int("num_outputs", 0);
  if (node.attributes.erase("num_outputs") == 0 || node.input(0) == kAbsent || node.input(1) != kAbsent) return {};
  const Shape& shape = graph.shape(node.inputs[0]);
  const auto axis = TRY(axes_in_range({node.get_int("axis", 0)}, shape.size()));
  const std::int64_t size = shape[static_cast<std::size_t>(axis.front())];
  if (parts < 1 || parts != static_cast<std::int64_t>(node.outputs.size())) {
    return bad_input(fmt::format("num_outputs is {} with {} outputs", parts, node.outputs.size()));
  }
  const std::int64_t part = (size + parts - 1) / parts;
  Ints sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = size - part * (parts - 1);
  if (sizes.back() < 1) return bad_input(fmt::format("{} positions do not split into {} parts", size, parts));
  node.inputs.resize(2);
  node.inputs[1] = add_constant(graph, DType::int64, std::move(sizes));
  return {};
}

// Pad names the padded axes in its fourth input: padding for all axes instead.
Result<void> lower_pad(OnnxGraph& graph, OnnxNode& node) {
  if (node.input(3) == kAbsent || node.input(0) == kAbsent || node.input(1) == kAbsent) return {};
  const std::size_t rank = graph.shape(node.inputs[0]).size();
  Ints axes = TRY(known_ints(graph, node, 3, "axes"));
  const Ints named = TRY(axes_in_range(std::move(axes), rank));
  const Ints pads = TRY(known_ints(graph, node, 1, "padding"));
  if (pads.size() != 2 * named.size()) return bad_input("padding and axes differ in length");
  Ints all(2 * rank, 0);
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto axis = static_cast<std::size_t>(named[i]);
    all[axis] = pads[i];
    all[rank + axis] = pads[named.size() + i];
  }
  node.inputs[1] = add_constant(graph, DType::int64, std::move(all));
  node.inputs.resize(3);
  return {};
}

// All axes are scaled alike, so that none is larger, or none smaller, than its wanted size.
Result<void> keep_aspect_ratio(OnnxGraph& graph, OnnxNode& node, const Shape& shape, Ints listed,
                               const std::string& policy) {
  if (policy != "not_larger" && policy != "not_smaller") {
    return bad_input(
        fmt::format("keep_aspect_ratio_policy {} is not one of stretch, not_larger, not_smaller", in_quotes(policy)));
  }
  if (node.input(3) == kAbsent) return bad_input("keeps the ratio of no sizes");
  const auto sizes = TRY(known_ints(graph, node, 3, "size"));
  if (listed.empty()) {
    for (std::size_t i = 0; i < shape.size(); ++i) listed.push_back(static_cast<std::int64_t>(i));
  }
  const auto axes = TRY(axes_in_range(listed, shape.size()));
  if (axes.size() != sizes.size() || axes.empty()) return bad_input("sizes and axes differ in length");
  std::optional<double> scale;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > kMaxDimension) return bad_input(fmt::format("its size is {}", sizes[i]));
    const std::int64_t size = shape[static_cast<std::size_t>(axes[i])];
    if (size < 1) return bad_input(fmt::format("{} has nothing to resize", print(shape)));
    const double own = static_cast<double>(sizes[i]) / static_cast<double>(size);
    scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  Ints all = shape;
  for (const std::int64_t axis : axes) {
    std::int64_t& size = all[static_cast<std::size_t>(axis)];
    const double scaled = std::floor(*scale * static_cast<double>(size) + 0.5);
    size = static_cast<std::int64_t>(std::clamp(scaled, 1.0, 2.0 * static_cast<double>(kMaxDimension)));
  }
  node.attributes.erase("axes");
  node.inputs[3] = add_constant(graph, DType::int64, std::move(all));
  return {};
}

// Resize names the resized axes in an attribute: scales or sizes for all axes instead.
Result<void> lower_resize(OnnxGraph& graph, OnnxNode& node) {
  node.attributes.erase("antialias");
  const std::string policy = node.get_string("keep_aspect_ratio_policy", "stretch");
  node.attributes.erase("keep_aspect_ratio_policy");
  Ints listed = node.get_ints("axes");
  if (node.input(0) == kAbsent) return {};
  const Shape shape = graph.shape(node.inputs[0]);
  if (policy != "stretch") return keep_aspect_ratio(graph, node, shape, listed, policy);
  if (node.attributes.erase("axes") == 0) return {};
  const auto axes = TRY(axes_in_range(listed, shape.size()));

  for (const std::size_t input : {std::size_t{2}, std::size_t{3}}) {
    if (node.input(input) == kAbsent) continue;
    const OnnxValue value = graph.values[node.inputs[input]];
    if (!value.data) return fail(ErrorCode::unsupported, "its size cannot be known before the network runs");
    const auto fill = [&](const auto& given, auto all) -> Result<void> {
      if (given.empty() && value.shape == Shape{0}) return {};  // the other of scales and sizes is used
      if (given.size() != axes.size()) return bad_input("sizes and axes differ in length");
      for (std::size_t i = 0; i < given.size(); ++i) all[static_cast<std::size_t>(axes[i])] = given[i];
      node.inputs[input] = add_constant(graph, value.dtype, std::move(all));
      return {};
    };
    const Ints* sizes = std::get_if<Ints>(&*value.data);
    auto filled = sizes ? fill(*sizes, shape) : fill(std::get<Floats>(*value.data), Floats(shape.size(), 1.0));
    if (!filled) return filled;
  }
  return {};
}

// Averages and norms over windows with gaps, or rounded up: their shape follows from the window.
Result<void> lower_pool(const OnnxGraph& graph, OnnxNode& node) {
  if (node.type != "AveragePool" && node.type != "LpPool") return {};
  const Ints dilations = node.get_ints("dilations");
  const bool plain = std::all_of(dilations.begin(), dilations.end(), [](std::int64_t d) { return d == 1; });
  if (plain) node.attributes.erase("dilations");
  if (plain && (node.type == "AveragePool" || node.get_int("ceil_mode", 0) == 0)) {
    if (node.type == "LpPool") node.attributes.erase("ceil_mode");
    return {};
  }
  const auto axes = TRY(read_window(graph, node));
  auto shape = TRY(pool_shape(graph.shape(node.inputs[0]), axes, node.get_int("ceil_mode", 0) != 0));
  node.attributes[std::string(kShapeAttribute)] = std::move(shape);
  return {};
}

}  // namespace

Result<void> lower_to_opset17(OnnxGraph& graph, OnnxNode& node) {
  if (graph.opset <= 17) return {};
  if (std::find(kReductions.begin(), kReductions.end(), node.type) != kReductions.end()) {
    return lower_reduction(graph, node);
  }
  if (node.type == "Split") return lower_split(graph, node);
  if (node.type == "Pad") return lower_pad(graph, node);
  if (node.type == "Resize") return lower_resize(graph, node);
  if (node.type == "Cast") {
    node.attributes.erase("saturate");
    node.attributes.erase("round_mode");
  }
  return lower_pool(graph, node);
}

}  // namespace rooftile
