// What predictions by fitted models of every kind say: what was asked, how long it takes and what it needs; and the
// same of one layer, where a kind has layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/learn/asked_run.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/phase.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct FittedRun {
  std::string model, fitted;  // the network; the fitted model
  std::string gpu;
  int gpus = 1;
  std::int64_t batch_size = 1;  // of all GPUs together
  DType precision = DType::fp32;
  Phase phase = Phase::fwd;
  Seconds time;                            // of one iteration
  std::optional<std::int64_t> iterations;  // of a run, which takes so many times as long; none: not asked for
  MemoryUse memory;                        // of one GPU
  std::vector<Skipped> left_out;           // of the network, in no sum
};

struct FittedLayer {
  std::string name, op, function;  // as LayerEstimate has them
  Shape output;
  Seconds time;
  std::optional<Seconds> time_low, time_high;  // 90 % interval, where the model has one
  bool extrapolated = false;                   // the model was not fitted to layers of that size
};

// All but time and memory.
void set_asked(FittedRun& prediction, const regression::FittedModel& model, const AskedRun& run);

// All but whether it is extrapolated.
void set_layer(FittedLayer& layer, const Workload& workload, const Op& op, const regression::Predicted& predicted);

}  // namespace rooftile
