// A network's time by a per-layer model: the sum over its layers, forward and backward.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/fitted_run.hpp"
#include "rooftile/learn/layers/layer_complexity.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// One direction of an op.
struct FittedLayerTime : FittedLayer {
  LayerDirection direction = LayerDirection::forward;
  LayerCategory category = LayerCategory::conv_fc;
  double complexity = 0;  // operations
};

// `left_out` has ops, or directions of them, that the model has no equation for or gives a time below zero, too.
struct LayersPrediction : FittedRun {
  std::vector<FittedLayerTime> layers;
};

// The sum of the layers' intervals, as if all errors went the same way; none if a layer has none.
std::optional<Interval> interval_of(const LayersPrediction& prediction);

// Of layers beyond those of the fit; empty where there are none.
std::vector<std::string> warnings_of(const LayersPrediction& prediction);

// A workload that passed validate(), on the GPU of the model. Renamed tensors and, at inference, dropout cost nothing;
// a training step's update of the weights is left out. Errors: the model is of another kind, of none or several GPUs,
// of one that is not known; `phase` is one gradient.
Result<LayersPrediction> predict_by_layers(const regression::FittedModel& model, const Workload& workload,
                                           Phase phase = Phase::fwd);

}  // namespace rooftile
