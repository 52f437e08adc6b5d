// The operations of a layer, forward and backward, as the per-layer models of Gianniti, Zhang and Ardagna count them
// (SBAC-PAD 2018, "Layer Computational Complexity"), and the categories that have a model each.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class LayerCategory {
  conv_fc,        // convolutions and fully connected layers
  norm,           // local response normalisation
  pool_stride_1,  // pooling with stride 1
  pool_strided,   // pooling with a larger one
  activation,     // activations and dropout
  loss,           // softmax and its loss
};
inline constexpr std::array kLayerCategories = {LayerCategory::conv_fc,       LayerCategory::norm,
                                                LayerCategory::pool_stride_1, LayerCategory::pool_strided,
                                                LayerCategory::activation,    LayerCategory::loss};
// "conv/fc", "norm", "pool S=1", "pool S>1", "relu/dropout", "loss".
std::string_view name_of(LayerCategory category);

enum class LayerDirection {
  forward,
  backward,  // all gradients of the layer together
};
inline constexpr std::array kLayerDirections = {LayerDirection::forward, LayerDirection::backward};
std::string_view name_of(LayerDirection direction);

// Operations of a whole batch; a multiply-accumulate is one.
struct LayerComplexity {
  LayerCategory category = LayerCategory::conv_fc;
  double forward = 0, backward = 0;

  double of(LayerDirection direction) const { return direction == LayerDirection::forward ? forward : backward; }
  bool operator==(const LayerComplexity&) const = default;
};

// The published formulas are of one output position; each is multiplied by `positions` (of all dimensions) and `batch`.
// C_in, C_out: channels; `taps`: H_f W_f.
//   conv        H_f W_f C_in C_out          (2 H_f W_f C_in + 1) C_out
//   fc          H_in W_in C_in C_out        2 H_in W_in C_in C_out
//   norm        5 C_out + C_n - 2           8 C_out + C_n - 1
//   pool        H_f W_f C_out               (H_f W_f + 1) C_out
//   activation  3 C_out                     4 C_out
//   loss        4 C_out - 1                 C_out + 1
LayerComplexity conv_complexity(double taps, double in_channels, double out_channels, double positions, double batch);
LayerComplexity fc_complexity(double inputs, double outputs, double batch);
LayerComplexity norm_complexity(double channels, double window, double positions, double batch);
LayerComplexity pool_complexity(double taps, bool stride_1, double channels, double positions, double batch);
LayerComplexity activation_complexity(double channels, double positions, double batch);
LayerComplexity loss_complexity(double classes, double batch);

// Groups divide C_in.
LayerComplexity complexity_of(const Conv& conv);

// A product is a fully connected layer of m samples, n outputs and k inputs, `batch` times.
LayerComplexity complexity_of(const Gemm& gemm);

// An op of a workload that passed validate(); none if the formulas do not cover it (concatenation, batch normalisation,
// transposed convolution, …). A pool's stride is 1 where its window and its shapes agree with that; a softmax over two
// dimensions is a loss; dropout and ReLU (with its leaky, parametric and bounded forms), sigmoid and tanh are
// activations.
std::optional<LayerComplexity> complexity_of(const Workload& workload, const Op& op);

}  // namespace rooftile
