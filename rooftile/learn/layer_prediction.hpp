// A network's time by a per-layer model: the sum over its layers, forward and backward.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/learn/layer_complexity.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/units/units.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// One direction of an op.
struct FittedLayerTime {
  std::string name, op, function;  // as LayerEstimate has them
  LayerDirection direction = LayerDirection::forward;
  LayerCategory category = LayerCategory::conv_fc;
  double complexity = 0;  // operations
  Shape output;
  Seconds time;
  std::optional<Seconds> time_low, time_high;  // 90 % interval, where the model has one
  bool extrapolated = false;                   // the complexity is outside of that of the fit, where that is known
};

struct LayersPrediction {
  std::string model, fitted;  // the network; the fitted model
  std::string gpu;
  std::int64_t batch_size = 1;
  DType precision = DType::fp32;
  Phase phase = Phase::fwd;
  Seconds time;                            // of one iteration
  std::optional<std::int64_t> iterations;  // of a run, which takes so many times as long; none: not asked for
  MemoryUse memory;
  std::vector<FittedLayerTime> layers;
  // Ops, or directions of them, that are in no sum: the model has no equation for them or gives a time below zero.
  std::vector<Skipped> left_out;
};

// The sum of the layers' intervals, as if all errors went the same way; none if a layer has none.
std::optional<Interval> interval_of(const LayersPrediction& prediction);

// A workload that passed validate(), on the GPU of the model. Renamed tensors and, at inference, dropout cost nothing;
// a training step's update of the weights is left out. Errors: the model is of another kind, of none or several GPUs,
// of one that is not known; `phase` is one gradient.
Result<LayersPrediction> predict_by_layers(const regression::FittedModel& model, const Workload& workload,
                                           Phase phase = Phase::fwd);

}  // namespace rooftile
