// Capacity planning: on which GPUs, how many and with what batch a network is trained within a deadline or a budget.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     TrainingTask task;
//     task.model = "resnet50";
//     task.workload_of = [](std::int64_t batch) { return load_model("resnet50", {.batch_size = batch}); };
//     task.samples = 1281167;
//     TrainingChoices choices;
//     choices.gpus = {find_gpu("v100-sxm2-16gb").value()};
//     choices.batches = {32};
//     const TrainingPlan plan = plan_training(task, choices).value();
//     assert(plan.best);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/hosts/input_share.hpp"
#include "rooftile/planning/data_parallel.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/prices/gpu_price.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

// What is to be trained, and within which bounds.
struct TrainingTask {
  std::string model;                                                // for people
  std::function<Result<Workload>(std::int64_t batch)> workload_of;  // called by one thread
  std::int64_t samples = 1, epochs = 1;
  std::optional<Seconds> deadline;
  std::optional<Dollars> budget;
};

struct TrainingChoices {
  std::vector<Gpu> gpus;
  std::vector<std::int64_t> batches;         // of each GPU and micro-batch; empty: powers of two
  std::optional<std::int64_t> global_batch;  // split over the GPUs and their micro-batches, instead
  std::optional<std::int64_t> most_global_batch;
  int most_gpus = 8;
  Scaling scaling = Scaling::links;
  // Of a GPU's memory that the predicted need may fill. The largest batches of Lambda's training runs are predicted at
  // 61 to 78 %: a framework's allocator, workspaces and the driver have the rest.
  double memory_share = 0.8;
  bool cautious = false;  // bounds are to hold at the upper end of the interval, which must be known
  PriceRules prices;
  PredictOptions predict;
  // In place of the analytic step time; null: none. One that was fitted to several GPUs (knows_several_gpus()) gives
  // their step itself, and `scaling` plays no part.
  const regression::FittedModel* fitted = nullptr;
  std::map<std::string, std::string> fitted_cells = {};  // AskedRun::cells
  bool beyond_fit = false;  // GPUs that the fitted model is not of count too, each with a warning
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t all)> progress;  // predictions; called by one thread at a time
};

// One way to train: so many GPUs of a kind with so large a batch.
struct TrainingOption {
  std::size_t gpu = 0;  // of TrainingPlan::gpus
  int gpus = 1;
  std::int64_t batch = 1, global_batch = 1;  // of one GPU, of all
  double iterations = 0;                     // a last one that is not full counts whole
  MemoryUse memory;                          // of one GPU
  std::string link;                          // empty for one GPU
  Seconds step;
  std::optional<Seconds> added;        // by more GPUs, part of the step; none where a fitted model gives the whole
  std::optional<Interval> step_range;  // 90 %
  std::optional<InputShare> input;     // of a step; none without a host
  std::vector<std::string> warnings;   // where a fitted model is asked beyond its fit
  Seconds time;                        // of all iterations
  Dollars cost;
  bool meets = false;  // the deadline and the budget

  Seconds time_high() const { return step_range ? time * (step_range->high / step) : time; }
  Seconds time_low() const { return step_range ? time * (step_range->low / step) : time; }
  Dollars cost_high() const { return cost * (time_high() / time); }
  Dollars cost_low() const { return cost * (time_low() / time); }
};

// A GPU that is not among the answers, and why.
struct RuledOut {
  std::string gpu, why;
};

struct PlannedGpu {
  std::string id;
  GpuPrice price;
};

struct TrainingPlan {
  std::string model, precision, method;
  bool fitted_scaling = false;  // the step of several GPUs is the fitted model's own
  std::vector<PlannedGpu> gpus;
  std::vector<TrainingOption> options;    // all that fit into memory, in the order of GPU, number, batch
  std::optional<std::size_t> best;        // of the options; none meets the bounds
  std::vector<std::size_t> best_of_gpus;  // that meet them, the best first
  std::vector<std::size_t>
      front;  // none is both faster and cheaper, whether they meet the bounds or not; the fastest first
  std::vector<RuledOut> ruled_out;  // by id
  std::vector<std::string> notes;   // what the numbers are not good for, a sentence each
  bool stopped = false;             // when asked to: GPUs are missing
};

// Everything is tried, so that the answer is exact for the times predicted. The best is the cheapest, of equal ones the
// fastest; with a budget and no deadline the fastest, of equal ones the cheapest. Errors: those of the workloads;
// nothing fits any GPU; no GPU has a price; no batch is within the largest of all GPUs.
Result<TrainingPlan> plan_training(const TrainingTask& task, const TrainingChoices& choices);

// Why no option meets the bounds: what comes closest. For a plan without a best.
std::string why_none(const TrainingTask& task, const TrainingChoices& choices, const TrainingPlan& plan);

}  // namespace rooftile
