// Per-layer models (Gianniti, Zhang, Ardagna, SBAC-PAD 2018): for each category and direction
//   t = b0 + b1 c
// by ordinary least squares, c the operations of the layer; a network is the sum over its layers, forward and backward,
// and I iterations take I times as long.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/layers/layer_samples.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

constexpr std::string_view kLayersKind = "layers";            // FittedModel::kind
constexpr std::string_view kComplexityColumn = "complexity";  // operations
// "conv/fc forward".
std::string equation_name(LayerCategory category, LayerDirection direction);

struct LayerFit {
  LayerCategory category = LayerCategory::conv_fc;
  LayerDirection direction = LayerDirection::forward;
  std::vector<std::size_t> samples;  // indices, in the order of the fit's rows
  regression::EquationFit fit;
};

// Both pooling categories of a direction by one model, to set beside the two: MAPE over the same rows, held out by
// cross-validation.
struct PoolingComparison {
  LayerDirection direction = LayerDirection::forward;
  std::size_t rows = 0;
  double one = 0, two = 0;
};

struct LayerModelFit {
  regression::FittedModel model;
  std::vector<LayerFit> fits;  // one an equation of the model
  std::vector<PoolingComparison> pooling;
  std::vector<std::string> too_few;  // categories of which there are samples, but fewer than two sizes
};

// The samples that are not held out. Seconds, of operations. Errors: none of them, or samples of several GPUs or
// precisions, of which each is another model.
Result<LayerModelFit> fit_layers(std::span<const LayerSample> samples);

// Seconds. None without an equation for the category and direction.
Result<std::optional<regression::Predicted>> predict_layer(const regression::FittedModel& model,
                                                           const LayerComplexity& complexity, LayerDirection direction);

// Samples with what a model says of them, one direction or both.
struct LayerScore {
  regression::Errors errors;      // per layer
  Seconds measured, predicted;    // sums of these layers
  std::size_t without_model = 0;  // layers of a category without an equation, in no other figure
  Seconds time_without_model;
  std::vector<double> times, fitted;  // s, one a layer
  std::vector<std::string> categories;
};

// Those of the direction, or all.
Result<LayerScore> score_layers(const regression::FittedModel& model, std::span<const LayerSample> samples,
                                std::optional<LayerDirection> direction = {});

}  // namespace rooftile
