#include "rooftile/planning/training_steps.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/learn/step_prediction.hpp"

namespace rooftile {
namespace {

// Of a batch of all GPUs, what one of them gets at a time.
std::int64_t share_of(std::int64_t global_batch, const TrainingChoices& choices, int gpus) {
  const std::int64_t parts = gpus * choices.predict.micro_batches;
  return (global_batch + parts - 1) / parts;
}

// The batches that one GPU may get.
std::vector<std::int64_t> wanted_batches(const TrainingTask& task, const TrainingChoices& choices) {
  std::set<std::int64_t> wanted(choices.batches.begin(), choices.batches.end());
  if (choices.global_batch) {
    wanted.clear();
    for (int gpus = 1; gpus <= choices.most_gpus; ++gpus) wanted.insert(share_of(*choices.global_batch, choices, gpus));
  } else if (wanted.empty()) {
    constexpr std::int64_t kMost = 1 << 20;
    for (std::int64_t batch = 1; batch <= std::min(task.samples, kMost); batch *= 2) wanted.insert(batch);
  }
  if (choices.most_global_batch) wanted.erase(wanted.upper_bound(*choices.most_global_batch), wanted.end());
  return {wanted.begin(), wanted.end()};
}

bool stopped(const TrainingChoices& choices) { return choices.stop != nullptr && *choices.stop; }

Result<TrainingStep> fitted_step(const TrainingTask& task, const TrainingChoices& choices, const Gpu& gpu,
                                 const TrainingBatch& batch, int gpus, std::int64_t global_batch) {
  AskedRun run;
  run.workload = batch.stored.get();
  run.gpu = &gpu;
  run.gpus = gpus;
  run.batch_size = global_batch;
  run.precision = choices.predict.precision;
  run.phase = Phase::step;
  constexpr double kMost = 1e15;  // what a model of whole runs says of so many is no different
  run.iterations = static_cast<std::int64_t>(std::min(iterations_of(task, global_batch), kMost));
  run.cells = choices.fitted_cells;
  if (!choices.predict.framework.empty()) run.cells["framework"] = choices.predict.framework;
  auto step = TRY(predict_step(*choices.fitted, run));
  if (!step.left_out.empty()) {
    step.warnings.push_back(fmt::format("{} of the network's operators are left out of the step, the first '{}'",
                                        step.left_out.size(), one_line(step.left_out.front().name)));
  }
  return TrainingStep{step.time, step.range, std::move(step.warnings)};
}

Result<TrainingStep> analytic_step(const Gpu& gpu, const TrainingBatch& batch) {
  const auto prediction = TRY(batch.step.and_then([&](const auto& step) { return step.on(gpu); }));
  return TrainingStep{prediction.time, interval_of(prediction), {}, prediction.input};
}

// Of one batch on one GPU, and on more where a fitted model knows them.
std::map<int, TrainingStep> steps_of_batch(const TrainingTask& task, const TrainingChoices& choices, const Gpu& gpu,
                                           const TrainingBatch& batch, std::string& refused) {
  std::map<int, TrainingStep> steps;
  const auto keep = [&](int gpus, Result<TrainingStep> step) {
    if (step) {
      steps.emplace(gpus, std::move(*step));
    } else if (refused.empty()) {
      refused = step.error().message;
    }
  };
  if (choices.fitted == nullptr) {
    keep(1, analytic_step(gpu, batch));
  } else if (!knows_several_gpus(*choices.fitted)) {
    keep(1, fitted_step(task, choices, gpu, batch, 1, batch.samples));
  } else {
    for (int gpus = 1; gpus <= choices.most_gpus; ++gpus) {
      const auto global_batch = global_batch_of(task, choices, batch.samples, gpus);
      if (global_batch) keep(gpus, fitted_step(task, choices, gpu, batch, gpus, *global_batch));
    }
  }
  return steps;
}

Result<TrainingBatch> batch_of(const TrainingTask& task, const TrainingChoices& choices, std::int64_t samples) {
  const DType kept = trained_in({choices.predict.precision, choices.predict.autocast});
  auto stored = std::make_unique<const Workload>(stored_as(TRY(task.workload_of(samples)), kept));
  auto step = PreparedNetwork::make(*stored, choices.predict, Phase::step);
  const MemoryUse memory =
      step ? step->memory() : memory_of(run_as(*stored, choices.predict, Phase::step), choices.predict, Phase::step);
  return TrainingBatch{samples, std::move(stored), std::move(step), memory};
}

GpuSteps steps_of(const TrainingTask& task, const TrainingChoices& choices, const Gpu& gpu,
                  std::span<const TrainingBatch> batches, const std::function<void()>& done) {
  GpuSteps steps;
  for (const TrainingBatch& batch : batches) {
    if (stopped(choices) || batch.memory.total() > usable_memory(gpu, choices)) break;
    steps.steps.push_back(steps_of_batch(task, choices, gpu, batch, steps.refused));
    done();
  }
  return steps;
}

}  // namespace

TrainingStep fed_together(TrainingStep step, int gpus) {
  if (!step.input || gpus == 1) return step;
  const InputShare alone = *step.input;
  InputShare& shared = *step.input;
  shared.cores *= gpus;
  shared.disk *= gpus;
  // Where a bound is one GPU's wait for its input, it counts as computing: several wait longer.
  const auto fed = [&](Seconds time) {
    const Seconds computing = alone.ahead ? time : time - alone.waiting;
    return computing + shared.waiting_of(computing);
  };
  const Seconds computing = step.time - alone.waiting;
  shared.waiting = shared.waiting_of(computing);
  step.time = computing + shared.waiting;
  if (step.range) step.range = Interval{fed(step.range->low), fed(step.range->high)};
  return step;
}

std::string not_fitted(const Gpu& gpu, const TrainingChoices& choices) {
  if (choices.fitted == nullptr || choices.beyond_fit) return "";
  const std::vector<std::string>& known = choices.fitted->fitted_on.gpus;
  if (known.empty() || std::find(known.begin(), known.end(), gpu.id) != known.end()) return "";
  return fmt::format("the fitted model is of {}", one_line(fmt::format("{}", fmt::join(known, ", "))));
}

Bytes usable_memory(const Gpu& gpu, const TrainingChoices& choices) {
  return gpu.level("DRAM").capacity * choices.memory_share;
}

Result<std::vector<TrainingBatch>> batches_of(const TrainingTask& task, const TrainingChoices& choices,
                                              std::span<const Gpu* const> gpus) {
  Bytes most;
  for (const Gpu* gpu : gpus) most = std::max(most, usable_memory(*gpu, choices));
  std::vector<TrainingBatch> batches;
  for (const std::int64_t samples : wanted_batches(task, choices)) {
    auto batch = TRY(batch_of(task, choices, samples));
    const bool fits = batch.memory.total() <= most;
    if (!fits && batches.empty()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("training needs {} of memory at a batch of {} per GPU, more than any GPU has usable ({})",
                              print(batch.memory.total()), samples, print(most)));
    }
    if (!fits) break;  // nor do larger ones
    batches.push_back(std::move(batch));
  }
  if (batches.empty()) {
    return fail(ErrorCode::usage, fmt::format("every batch exceeds {}, the most allowed over all GPUs",
                                              choices.most_global_batch.value_or(0)));
  }
  return batches;
}

bool GpuSteps::none() const {
  return std::all_of(steps.begin(), steps.end(), [](const auto& by_number) { return by_number.empty(); });
}

std::vector<GpuSteps> all_steps(const TrainingTask& task, const TrainingChoices& choices,
                                std::span<const Gpu* const> gpus, std::span<const TrainingBatch> batches) {
  std::vector<GpuSteps> steps(gpus.size());
  std::size_t all = 0, done = 0;
  for (const Gpu* gpu : gpus) {
    for (const TrainingBatch& batch : batches) all += batch.memory.total() <= usable_memory(*gpu, choices) ? 1 : 0;
  }
  std::mutex mutex;
  const auto one_done = [&] {
    const std::lock_guard lock(mutex);
    ++done;
    if (choices.progress) choices.progress(done, all);
  };
  // Each thread takes the next GPU that none has.
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t) {
    for (std::size_t i = next++; i < gpus.size(); i = next++) {
      steps[i] = steps_of(task, choices, *gpus[i], batches, one_done);
    }
  };
  on_threads(std::min<std::size_t>(choices.threads, gpus.size()), work);
  return steps;
}

std::optional<std::int64_t> global_batch_of(const TrainingTask& task, const TrainingChoices& choices,
                                            std::int64_t batch, int gpus) {
  if (choices.global_batch) {
    const bool enough = *choices.global_batch >= gpus * choices.predict.micro_batches;
    return enough && share_of(*choices.global_batch, choices, gpus) == batch ? choices.global_batch : std::nullopt;
  }
  const std::int64_t all = batch * gpus * choices.predict.micro_batches;
  if (all > task.samples && gpus > 1) return std::nullopt;
  if (choices.most_global_batch && all > *choices.most_global_batch) return std::nullopt;
  return all;
}

double iterations_of(const TrainingTask& task, std::int64_t global_batch) {
  const std::int64_t an_epoch = (task.samples + global_batch - 1) / global_batch;
  return static_cast<double>(an_epoch) * static_cast<double>(task.epochs);
}

}  // namespace rooftile
