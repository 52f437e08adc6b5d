#include "rooftile/planning/training_plan.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/link.hpp"
#include "rooftile/learn/step_prediction.hpp"
#include "rooftile/planning/training_steps.hpp"

namespace rooftile {
namespace {

bool meets(const TrainingTask& task, const TrainingOption& option, bool cautious) {
  if (cautious && !option.step_range) return false;
  const Seconds time = cautious ? option.time_high() : option.time;
  const Dollars cost = cautious ? option.cost_high() : option.cost;
  return (!task.deadline || time <= *task.deadline) && (!task.budget || cost <= *task.budget);
}

// Of so many GPUs; nothing where the catalogue knows no link that joins them.
std::optional<TrainingStep> step_of(const std::map<int, TrainingStep>& steps, const TrainingChoices& choices,
                                    const Gpu& gpu, const TrainingBatch& batch, TrainingOption& option) {
  const auto link = link_of(gpu, option.gpus);
  const bool through_host = choices.scaling == Scaling::host_memory;
  if (option.gpus > 1 && link) option.link = through_host ? host_memory_link().name : link->name;
  const bool whole = choices.fitted != nullptr && knows_several_gpus(*choices.fitted);
  const auto found = steps.find(whole ? option.gpus : 1);
  if (found == steps.end()) return std::nullopt;
  TrainingStep step = fed_together(found->second, option.gpus);
  if (whole && option.gpus > 1) return step;
  option.added = Seconds(0);
  if (option.gpus == 1) return step;
  if (!link) return std::nullopt;
  const AddedTime added =
      added_time(step.time, gradient_bytes(*batch.stored), option.gpus, gpu, *link, choices.scaling);
  option.added = added.time;
  step.time += added.time;
  if (step.range) step.range = Interval{step.range->low + added.range.low, step.range->high + added.range.high};
  return step;
}

// Options of one GPU with one batch, one for each number of GPUs.
void add_options(std::vector<TrainingOption>& options, std::size_t gpu_index, const Gpu& gpu, const GpuPrice& price,
                 const TrainingBatch& batch, const std::map<int, TrainingStep>& steps, const TrainingTask& task,
                 const TrainingChoices& choices) {
  for (int gpus = 1; gpus <= choices.most_gpus; ++gpus) {
    const auto global_batch = global_batch_of(task, choices, batch.samples, gpus);
    if (!global_batch) continue;
    TrainingOption option;
    option.gpu = gpu_index;
    option.gpus = gpus;
    option.batch = batch.samples;
    option.global_batch = *global_batch;
    option.iterations = iterations_of(task, *global_batch);
    option.memory = batch.memory;
    auto step = step_of(steps, choices, gpu, batch, option);
    if (!step) continue;
    option.step = step->time;
    option.step_range = step->range;
    option.input = step->input;
    option.warnings = std::move(step->warnings);
    option.time = option.step * option.iterations;
    option.cost = price.rate * option.time * static_cast<double>(gpus);
    option.meets = meets(task, option, choices.cautious);
    options.push_back(std::move(option));
  }
}

// Whether the fastest is asked for, not the cheapest.
bool wants_time(const TrainingTask& task) { return task.budget && !task.deadline; }

// The lesser option is the better one; the order is total.
std::tuple<double, double, int, std::int64_t, std::size_t> rank(const TrainingOption& option, bool by_time) {
  const double time = option.time.value(), cost = option.cost.value();
  return {by_time ? time : cost, by_time ? cost : time, option.gpus, option.batch, option.gpu};
}

// Options none of which another beats in time and cost, the fastest first.
std::vector<std::size_t> front_of(const std::vector<TrainingOption>& options) {
  std::vector<std::size_t> order(options.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rank(options[a], true) < rank(options[b], true); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (front.empty() || options[i].cost < options[front.back()].cost) front.push_back(i);
  }
  return front;
}

// At the upper end where that is what counts.
std::string described(const TrainingPlan& plan, const TrainingOption& option, bool cautious) {
  const char* most = cautious ? "up to " : "";
  return fmt::format("{} x {} at a batch of {} per GPU, takes {}{} and costs {}{:.4g} USD", option.gpus,
                     plan.gpus[option.gpu].id, option.batch, most,
                     print_duration(cautious ? option.time_high() : option.time), most,
                     (cautious ? option.cost_high() : option.cost).value());
}

// Which bound none of a GPU's options meets, or that none meets both.
std::string why_not(const TrainingTask& task, const TrainingChoices& choices, const TrainingPlan& plan,
                    std::optional<std::size_t> gpu) {
  const bool cautious = choices.cautious;
  const auto time_of = [&](const TrainingOption& option) { return cautious ? option.time_high() : option.time; };
  const auto cost_of = [&](const TrainingOption& option) { return cautious ? option.cost_high() : option.cost; };
  const TrainingOption *fastest = nullptr, *cheapest = nullptr;
  bool any = false;
  for (const TrainingOption& option : plan.options) {
    if (gpu && option.gpu != *gpu) continue;
    any = true;
    if (cautious && !option.step_range) continue;
    if (fastest == nullptr || time_of(option) < time_of(*fastest)) fastest = &option;
    if (cheapest == nullptr || cost_of(option) < cost_of(*cheapest)) cheapest = &option;
  }
  if (!any) return "no number of GPUs fits the batch";
  if (fastest == nullptr) return "cautious=yes: the interval of its time is unknown";
  if (task.deadline && time_of(*fastest) > *task.deadline) {
    return "deadline: the fastest, " + described(plan, *fastest, cautious);
  }
  if (task.budget && cost_of(*cheapest) > *task.budget) {
    return "budget: the cheapest, " + described(plan, *cheapest, cautious);
  }
  return fmt::format("deadline and budget together: the fastest, {}; the cheapest, {}",
                     described(plan, *fastest, cautious), described(plan, *cheapest, cautious));
}

void choose(TrainingPlan& plan, const TrainingTask& task, const TrainingChoices& choices) {
  const bool by_time = wants_time(task);
  for (std::size_t gpu = 0; gpu < plan.gpus.size(); ++gpu) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < plan.options.size(); ++i) {
      const TrainingOption& option = plan.options[i];
      if (option.gpu != gpu || !option.meets) continue;
      if (!best || rank(option, by_time) < rank(plan.options[*best], by_time)) best = i;
    }
    if (best) {
      plan.best_of_gpus.push_back(*best);
    } else if (!plan.stopped) {
      plan.ruled_out.push_back({plan.gpus[gpu].id, why_not(task, choices, plan, gpu)});
    }
  }
  std::sort(plan.best_of_gpus.begin(), plan.best_of_gpus.end(), [&](std::size_t a, std::size_t b) {
    return rank(plan.options[a], by_time) < rank(plan.options[b], by_time);
  });
  if (!plan.best_of_gpus.empty()) plan.best = plan.best_of_gpus.front();
  plan.front = front_of(plan.options);
  std::sort(plan.ruled_out.begin(), plan.ruled_out.end(),
            [](const RuledOut& a, const RuledOut& b) { return a.gpu < b.gpu; });
}

// What the numbers of the plan are not good for.
void add_notes(TrainingPlan& plan, const TrainingChoices& choices, std::span<const Gpu* const> gpus) {
  if (plan.fitted_scaling) return;
  constexpr int kMostFitted = 8;  // GPUs of the runs that added_time() is fitted to
  const auto more = std::any_of(plan.options.begin(), plan.options.end(),
                                [](const TrainingOption& option) { return option.gpus > kMostFitted; });
  if (more) {
    plan.notes.push_back(
        fmt::format("Times on more than {} GPUs extrapolate beyond the measured runs, and few machines hold so many.",
                    kMostFitted));
  }
  for (const Gpu* gpu : gpus) {
    constexpr int kSeveral = 2;
    if (choices.most_gpus < kSeveral || link_of(*gpu, kSeveral)) continue;
    plan.notes.push_back(fmt::format("{}: one GPU only, as its link to others is unknown.", gpu->id));
  }
}

}  // namespace

Result<TrainingPlan> plan_training(const TrainingTask& task, const TrainingChoices& choices) {
  TrainingPlan plan;
  plan.model = task.model;
  plan.precision = name_of(RunPrecision{choices.predict.precision, choices.predict.autocast});
  plan.method = choices.fitted != nullptr ? "fitted: " + one_line(choices.fitted->name) : label_of(choices.predict);
  plan.fitted_scaling = choices.fitted != nullptr && knows_several_gpus(*choices.fitted);
  std::vector<const Gpu*> priced;
  for (const Gpu& gpu : choices.gpus) {
    if (std::string why = not_fitted(gpu, choices); !why.empty()) {
      plan.ruled_out.push_back({gpu.id, std::move(why)});
      continue;
    }
    auto price = price_of(gpu, choices.prices);
    if (!price) {
      plan.ruled_out.push_back({gpu.id, choices.prices.else_bought
                                            ? "no price is known"
                                            : fmt::format("no {} price is known", name_of(choices.prices.kind))});
      continue;
    }
    priced.push_back(&gpu);
    plan.gpus.push_back({gpu.id, std::move(*price)});
  }
  const bool none_fitted = std::all_of(choices.gpus.begin(), choices.gpus.end(),
                                       [&](const Gpu& gpu) { return !not_fitted(gpu, choices).empty(); });
  if (none_fitted && !choices.gpus.empty()) return fail(ErrorCode::not_found, plan.ruled_out.front().why);
  if (priced.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("no such price is known for any of the GPUs{}; give --price ID=USD, or --price basis=any",
                            choices.fitted != nullptr ? " that the fitted model is for" : ""));
  }
  const auto batches = TRY(batches_of(task, choices, priced));
  const std::vector<GpuSteps> steps = all_steps(task, choices, priced, batches);
  plan.stopped = choices.stop != nullptr && *choices.stop;
  std::vector<PlannedGpu> planned;
  for (std::size_t i = 0; i < priced.size(); ++i) {
    const Gpu& gpu = *priced[i];
    const GpuSteps& own = steps[i];
    if (own.none()) {
      if (plan.stopped) continue;
      const TrainingBatch& first = batches.front();
      plan.ruled_out.push_back(
          {gpu.id, own.refused.empty()
                       ? fmt::format("memory: needs {} at a batch of {}, has {} usable", print(first.memory.total()),
                                     first.samples, print(usable_memory(gpu, choices)))
                       : own.refused});
      continue;
    }
    for (std::size_t b = 0; b < own.steps.size(); ++b) {
      add_options(plan.options, planned.size(), gpu, plan.gpus[i].price, batches[b], own.steps[b], task, choices);
    }
    planned.push_back(plan.gpus[i]);
  }
  plan.gpus = std::move(planned);
  choose(plan, task, choices);
  add_notes(plan, choices, priced);
  return plan;
}

std::string why_none(const TrainingTask& task, const TrainingChoices& choices, const TrainingPlan& plan) {
  if (plan.options.empty() && plan.ruled_out.empty()) return "no GPU is left";
  if (plan.options.empty()) {
    // That a GPU is not of the fit says less than why one of the fit will not do.
    const auto of_fit = [&](const RuledOut& one) {
      return std::any_of(choices.gpus.begin(), choices.gpus.end(),
                         [&](const Gpu& gpu) { return gpu.id == one.gpu && not_fitted(gpu, choices).empty(); });
    };
    const auto told = std::find_if(plan.ruled_out.begin(), plan.ruled_out.end(), of_fit);
    const RuledOut& first = told != plan.ruled_out.end() ? *told : plan.ruled_out.front();
    return fmt::format("no GPU can train it; {}: {}", first.gpu, first.why);
  }
  return "no option meets the bounds; " + why_not(task, choices, plan, std::nullopt);
}

}  // namespace rooftile
