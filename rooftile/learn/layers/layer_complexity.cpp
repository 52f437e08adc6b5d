#include "rooftile/learn/layers/layer_complexity.hpp"

#include <algorithm>
#include <variant>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kSpatialBegin = 2;  // of NCHW

double spatial(const Shape& shape) {
  double positions = 1;
  for (std::size_t i = kSpatialBegin; i < shape.size(); ++i) positions *= static_cast<double>(shape[i]);
  return positions;
}

double size_at(const Shape& shape, std::size_t dimension) {
  return dimension < shape.size() ? static_cast<double>(shape[dimension]) : 1;
}

// With stride 1 an axis loses window - 1 positions, less its padding; a larger stride loses more than the window
// explains. One position alone may have any stride, and counts as 1.
bool has_stride_1(const Pool& pool, const Shape& input, const Shape& output) {
  double explained = 1;
  for (std::size_t i = kSpatialBegin; i < output.size(); ++i) {
    explained *= std::max(1.0, size_at(input, i) - size_at(output, i) + 1);
  }
  return explained <= static_cast<double>(pool.window);
}

bool is_activation(std::string_view function) {
  constexpr std::array<std::string_view, 7> kActivations = {"relu",    "leaky_relu", "prelu", "clip",
                                                            "sigmoid", "tanh",       "elu"};
  return std::find(kActivations.begin(), kActivations.end(), function) != kActivations.end();
}

// By kind of op; none where the formulas say nothing.
struct Counter {
  const Shape& input;
  const Shape& output;

  using Counted = std::optional<LayerComplexity>;

  Counted activation() const { return activation_complexity(size_at(output, 1), spatial(output), size_at(output, 0)); }

  Counted operator()(const Conv& conv) const { return conv.transposed ? Counted() : complexity_of(conv); }
  Counted operator()(const Gemm& gemm) const { return complexity_of(gemm); }
  Counted operator()(const Normalize& norm) const {
    if (norm.function != "lrn") return {};
    return norm_complexity(size_at(output, 1), static_cast<double>(norm.window), spatial(output), size_at(output, 0));
  }
  Counted operator()(const Pool& pool) const {
    return pool_complexity(static_cast<double>(pool.window), has_stride_1(pool, input, output), size_at(output, 1),
                           spatial(output), size_at(output, 0));
  }
  Counted operator()(const Elementwise& elementwise) const {
    return is_activation(elementwise.function) ? activation() : Counted();
  }
  Counted operator()(const View& view) const { return is_dropout(view) ? activation() : Counted(); }
  Counted operator()(const Softmax&) const {
    return output.size() == 2 ? Counted(loss_complexity(size_at(output, 1), size_at(output, 0))) : Counted();
  }
  template <class Other>
  Counted operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::string_view name_of(LayerCategory category) {
  constexpr std::array<std::string_view, kLayerCategories.size()> kNames = {"conv/fc",  "norm",         "pool S=1",
                                                                            "pool S>1", "relu/dropout", "loss"};
  return kNames[static_cast<std::size_t>(category)];
}

std::string_view name_of(LayerDirection direction) {
  return direction == LayerDirection::forward ? "forward" : "backward";
}

LayerComplexity conv_complexity(double taps, double in_channels, double out_channels, double positions, double batch) {
  const double times = positions * batch;
  return {LayerCategory::conv_fc, taps * in_channels * out_channels * times,
          (2 * taps * in_channels + 1) * out_channels * times};
}

LayerComplexity fc_complexity(double inputs, double outputs, double batch) {
  return {LayerCategory::conv_fc, inputs * outputs * batch, 2 * inputs * outputs * batch};
}

LayerComplexity norm_complexity(double channels, double window, double positions, double batch) {
  const double times = positions * batch;
  return {LayerCategory::norm, (5 * channels + window - 2) * times, (8 * channels + window - 1) * times};
}

LayerComplexity pool_complexity(double taps, bool stride_1, double channels, double positions, double batch) {
  const double times = positions * batch;
  return {stride_1 ? LayerCategory::pool_stride_1 : LayerCategory::pool_strided, taps * channels * times,
          (taps + 1) * channels * times};
}

LayerComplexity activation_complexity(double channels, double positions, double batch) {
  return {LayerCategory::activation, 3 * channels * positions * batch, 4 * channels * positions * batch};
}

LayerComplexity loss_complexity(double classes, double batch) {
  return {LayerCategory::loss, (4 * classes - 1) * batch, (classes + 1) * batch};
}

LayerComplexity complexity_of(const Conv& conv) {
  double taps = 1, positions = 1;
  for (const ConvAxis& axis : conv.axes) {
    taps *= static_cast<double>(axis.filter);
    positions *= static_cast<double>(out_positions(axis, false));
  }
  return conv_complexity(taps, static_cast<double>(conv.in_channels) / static_cast<double>(conv.groups),
                         static_cast<double>(conv.out_channels), positions, static_cast<double>(conv.batch));
}

LayerComplexity complexity_of(const Gemm& gemm) {
  return fc_complexity(static_cast<double>(gemm.k), static_cast<double>(gemm.n),
                       static_cast<double>(gemm.m) * static_cast<double>(gemm.batch));
}

std::optional<LayerComplexity> complexity_of(const Workload& workload, const Op& op) {
  if (op.inputs.empty() || op.outputs.empty()) return {};
  return std::visit(Counter{workload.tensors[op.inputs.front()].shape, workload.tensors[op.outputs.front()].shape},
                    op.kind);
}

}  // namespace rooftile
