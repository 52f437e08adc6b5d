// The times of a step that a plan chooses from: of each GPU, batch and, by some fitted models, number of GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/planning/training_plan.hpp"
#include "rooftile/predict/prepared_network.hpp"

namespace rooftile {

// A batch as one GPU sees it.
struct TrainingBatch {
  std::int64_t samples;
  std::unique_ptr<const Workload> stored;  // in the precision of the plan
  Result<PreparedNetwork> step;            // of `stored`; the error is why no GPU takes it
  MemoryUse memory;
};

// Why the fitted model does not speak about a GPU; empty if it does, or there is none.
std::string not_fitted(const Gpu& gpu, const TrainingChoices& choices);

Bytes usable_memory(const Gpu& gpu, const TrainingChoices& choices);

// The batches that fit some GPU, the smallest first. Errors: those of the workloads; the smallest fits none; all are
// beyond the largest batch of all GPUs together.
Result<std::vector<TrainingBatch>> batches_of(const TrainingTask& task, const TrainingChoices& choices,
                                              std::span<const Gpu* const> gpus);

struct TrainingStep {
  Seconds time;
  std::optional<Interval> range;  // 90 %
  std::vector<std::string> warnings;
  std::optional<InputShare> input = {};  // with which `time` and `range` are, of one GPU
};

// Of `gpus` in one machine, whose cores and disk they share; each has its own PCIe.
TrainingStep fed_together(TrainingStep step, int gpus);

// Of a GPU: by batch, as far as they fit, then by number of GPUs.
struct GpuSteps {
  std::vector<std::map<int, TrainingStep>> steps;
  std::string refused;  // why there are none

  bool none() const;
};

// Of each GPU. Only a fitted model that knows several GPUs gives steps of more than one.
std::vector<GpuSteps> all_steps(const TrainingTask& task, const TrainingChoices& choices,
                                std::span<const Gpu* const> gpus, std::span<const TrainingBatch> batches);

// The batch of so many GPUs together, each with `batch`; nothing where that is no way to train.
std::optional<std::int64_t> global_batch_of(const TrainingTask& task, const TrainingChoices& choices,
                                            std::int64_t batch, int gpus);

// Of all epochs, each of which ends with a batch that may not be full.
double iterations_of(const TrainingTask& task, std::int64_t global_batch);

}  // namespace rooftile
