#include "rooftile/ingest/onnx_makers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_window.hpp"
#include "rooftile/ops/shapes.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

const Shape& output_shape(const OnnxGraph& graph, const OnnxNode& node) { return graph.shape(node.outputs[0]); }

// Shape of input `i`, which must be there.
Result<Shape> input_shape(const OnnxGraph& graph, const OnnxNode& node, std::size_t i) {
  if (node.input(i) == kAbsent) return bad_input(fmt::format("input {} is missing", i));
  return graph.shape(node.inputs[i]);
}

}  // namespace

Result<OpKind> make_conv(const OnnxGraph& graph, const OnnxNode& node) {
  const auto axes = TRY(read_window(graph, node));
  const Shape& input = graph.shape(node.inputs[0]);
  const Shape& filter = graph.shape(node.inputs[1]);
  Conv result;
  result.transposed = node.type == "ConvTranspose";
  result.batch = input[0];
  result.in_channels = input[1];
  result.groups = node.get_int("group", 1);
  if (result.groups < 1) return bad_input(fmt::format("group is {}", result.groups));
  const std::int64_t filter_inputs = result.transposed ? filter[0] : filter[1] * result.groups;
  result.out_channels = result.transposed ? filter[1] * result.groups : filter[0];
  if (filter_inputs != result.in_channels) {
    return bad_input(
        fmt::format("filter {} in {} groups does not fit input {}", print(filter), result.groups, print(input)));
  }
  result.axes = axes;
  result.bias = node.input(2) != kAbsent;
  const Shape expected = conv_output(result, static_cast<int>(input.size()) - 2);
  if (expected != output_shape(graph, node)) {
    return bad_input(fmt::format("its window gives {} outputs, shape inference {}", print(expected),
                                 print(output_shape(graph, node))));
  }
  return result;
}

Result<OpKind> make_gemm(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape a = TRY(input_shape(graph, node, 0));
  const Shape b = TRY(input_shape(graph, node, 1));
  if (a.size() != 2 || b.size() != 2) return bad_input(fmt::format("{} and {} are not matrices", print(a), print(b)));
  Gemm result;
  result.trans_a = node.get_int("transA", 0) != 0;
  result.trans_b = node.get_int("transB", 0) != 0;
  result.m = a[result.trans_a ? 1 : 0];
  result.k = a[result.trans_a ? 0 : 1];
  result.n = b[result.trans_b ? 0 : 1];
  result.bias = node.input(2) != kAbsent;
  if (result.k != b[result.trans_b ? 1 : 0]) {
    return bad_input(fmt::format("matrices {} and {} do not multiply", print(a), print(b)));
  }
  return result;
}

Result<OpKind> make_mat_mul(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape a = TRY(input_shape(graph, node, 0));
  const Shape b = TRY(input_shape(graph, node, 1));
  auto product = TRY(matmul(a, b));
  product.gemm.bias = node.input(2) != kAbsent;  // onnx_patterns.cpp
  return product.gemm;
}

Result<MatMul> fused_product(const OnnxGraph& graph, const OnnxNode& node) {
  auto a = TRY(input_shape(graph, node, 0));
  auto b = TRY(input_shape(graph, node, 1));
  const bool trans_a = node.get_int("transA", 0) != 0, trans_b = node.get_int("transB", 0) != 0;
  for (auto [shape, trans] : {std::pair(&a, trans_a), {&b, trans_b}}) {
    if (!trans) continue;
    if (shape->size() < 2) return bad_input(fmt::format("{} has no last two dimensions to exchange", print(*shape)));
    std::swap((*shape)[shape->size() - 1], (*shape)[shape->size() - 2]);
  }
  auto product = TRY(matmul(a, b));
  product.gemm.trans_a = trans_a;
  product.gemm.trans_b = trans_b;
  product.gemm.bias = node.input(2) != kAbsent;
  return product;
}

Result<OpKind> make_fused_mat_mul(const OnnxGraph& graph, const OnnxNode& node) {
  const auto product = TRY(fused_product(graph, node));
  return product.gemm;
}

Result<OpKind> make_packed_product(const OnnxGraph&, const OnnxNode& node) {
  return Elementwise{"packed_product", 2 * node.get_int("K", 1)};
}

Result<OpKind> make_grid_sample(const OnnxGraph&, const OnnxNode& node) {
  const std::string mode = node.get_string("mode", "bilinear");
  // Weights, products and sums of 4 or 16 neighbours.
  return Elementwise{"grid_sample", mode == "nearest" ? 2 : mode == "bicubic" || mode == "cubic" ? 40 : 11};
}

Result<OpKind> make_roi_align(const OnnxGraph&, const OnnxNode& node) {
  constexpr std::int64_t kAdaptive = 2, kMost = 1 << 10;  // samples a side where the size of the box decides
  const std::int64_t ratio = node.get_int("sampling_ratio", 0);
  const std::int64_t side = ratio > 0 ? std::min(ratio, kMost) : kAdaptive;
  return Elementwise{"roi_align", 11 * side * side};
}

Result<OpKind> make_suppression(const OnnxGraph& graph, const OnnxNode& node) {
  const auto scores = TRY(input_shape(graph, node, 1));
  if (scores.size() != 3) return bad_input(fmt::format("scores {} are not batch x classes x boxes", print(scores)));
  constexpr double kOverlap = 15;  // minima, maxima, areas and their quotient
  const double pairs = elements(scores) * static_cast<double>(scores[2]) / 2;
  const double each = std::ceil(kOverlap * pairs / std::max(1.0, elements(output_shape(graph, node))));
  return Elementwise{"non_max_suppression",
                     static_cast<std::int64_t>(std::min(each, static_cast<double>(kMaxDimension)))};
}

Result<OpKind> make_recurrent(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape input = TRY(input_shape(graph, node, 0));
  const Shape weights = TRY(input_shape(graph, node, 1));
  const Shape recurrent_weights = TRY(input_shape(graph, node, 2));
  for (const Shape* operand : {&input, &weights, &recurrent_weights}) {
    if (operand->size() != 3) return bad_input(fmt::format("{} does not have 3 dimensions", print(*operand)));
  }
  const bool batch_first = node.get_int("layout", 0) != 0;
  Recurrent result;
  result.cell = node.type == "LSTM" ? "lstm" : node.type == "GRU" ? "gru" : "vanilla";
  result.steps = input[batch_first ? 1 : 0];
  result.batch = input[batch_first ? 0 : 1];
  result.input = input[2];
  result.directions = recurrent_weights[0];
  result.hidden = recurrent_weights[2];
  TRY(check(result));
  const std::int64_t gates = gates_of(result) * result.hidden;
  if (weights != Shape{result.directions, gates, result.input} ||
      recurrent_weights != Shape{result.directions, gates, result.hidden}) {
    return bad_input(
        fmt::format("weights {} and {} do not fit input {}", print(weights), print(recurrent_weights), print(input)));
  }
  const bool both = node.get_string("direction", "forward") == "bidirectional";
  if (both != (result.directions == 2))
    return bad_input(fmt::format("its weights are for {} directions", result.directions));
  return result;
}

bool is_recurrent(std::string_view onnx_type) {
  return onnx_type == "GRU" || onnx_type == "LSTM" || onnx_type == "RNN";
}

Result<OpKind> make_pool(const OnnxGraph& graph, const OnnxNode& node) {
  const auto axes = TRY(read_window(graph, node));
  double window = 1;
  for (const ConvAxis& axis : axes) window *= static_cast<double>(axis.filter);
  if (window > kMaxElements) return bad_input("kernel_shape is too large");
  return Pool{node.type == "MaxPool"  ? "max"
              : node.type == "LpPool" ? "lp"
                                      : "average",
              static_cast<std::int64_t>(window)};
}

Result<OpKind> make_global_pool(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = TRY(input_shape(graph, node, 0));
  if (input.size() < 3) return bad_input(fmt::format("{} has no spatial dimensions", print(input)));
  const double window = elements(input) / elements({input[0], input[1]});
  return Pool{node.type == "GlobalMaxPool"  ? "max"
              : node.type == "GlobalLpPool" ? "lp"
                                            : "average",
              static_cast<std::int64_t>(window)};
}

Result<OpKind> make_lrn(const OnnxGraph&, const OnnxNode& node) { return Normalize{"lrn", node.get_int("size", 1)}; }

Result<OpKind> make_transpose(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = TRY(input_shape(graph, node, 0));
  const auto rank = static_cast<std::int64_t>(input.size());
  Ints order = node.get_ints("perm");
  if (order.empty()) {
    for (std::int64_t axis = rank - 1; axis >= 0; --axis) order.push_back(axis);
  }
  std::int64_t last = -1;
  for (const std::int64_t axis : order) {
    if (axis < 0 || axis >= rank) return bad_input(fmt::format("perm contains {}", axis));
    if (input[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return Move{"transpose"};
    last = axis;
  }
  return View{"transpose"};
}

Result<OpKind> make_resize(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = TRY(input_shape(graph, node, 0));
  const Shape& output = output_shape(graph, node);
  return Move{"resize", node.get_string("mode", "nearest") == "nearest" && elements(output) < elements(input)};
}

Result<OpKind> make_move_or_view(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = TRY(input_shape(graph, node, 0));
  std::string function = node.type;
  function[0] = static_cast<char>(function[0] - 'A' + 'a');
  if (input == output_shape(graph, node)) return View{function};
  return Move{function};
}

Result<OpKind> make_slice(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = TRY(input_shape(graph, node, 0));
  if (input == output_shape(graph, node)) return View{"slice"};
  return Move{"slice", true};
}

Result<OpKind> make_cast(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.input(0) == kAbsent) return bad_input("has no input");
  if (graph.values[node.inputs[0]].dtype == graph.values[node.outputs[0]].dtype) return View{"cast"};
  return Elementwise{"cast", 1};
}

Result<OpKind> make_variadic(const OnnxGraph&, const OnnxNode& node) {
  const auto count = static_cast<std::int64_t>(node.inputs.size());
  const std::string function = node.type == "Max"   ? "max"
                               : node.type == "Min" ? "min"
                               : node.type == "Sum" ? "add"
                                                    : "mean";
  return Elementwise{function, node.type == "Mean" ? count : std::max<std::int64_t>(count - 1, 1)};
}

}  // namespace rooftile
