// The time of one step of a network by a fitted model of any kind: per-layer, end-to-end or grey box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/asked_run.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

struct StepPrediction {
  Seconds time;                        // of one iteration of all GPUs
  std::optional<Interval> range = {};  // 90 %, where the model has one
  // Where the model is asked beyond what it was fitted to, one line each.
  std::vector<std::string> warnings = {};
  std::vector<Skipped> left_out = {};  // layers that are in no sum
};

// Errors: those of predict_network(), predict_by_layers() and predict_by_grey_box(); a kind that is none of theirs; of
// a per-layer model, a GPU or precision that is not its own and several GPUs.
Result<StepPrediction> predict_step(const regression::FittedModel& model, const AskedRun& run);

// Whether the model was fitted to runs on several GPUs, so that it may be asked about them.
bool knows_several_gpus(const regression::FittedModel& model);

}  // namespace rooftile
