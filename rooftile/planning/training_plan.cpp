#include "rooftile/planning/training_plan.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/planning/duration.hpp"
#include "rooftile/planning/link.hpp"
#include "rooftile/units/text.hpp"

namespace rooftile {
namespace {

// A batch as one GPU sees it.
struct Batch {
  std::int64_t samples = 1;
  Workload stored;  // in the precision of the plan
  MemoryUse memory;
};

Bytes usable_memory(const Gpu& gpu, const TrainingChoices& choices) {
  return gpu.level("DRAM").capacity * choices.memory_share;
}

// The batches that one GPU may get.
std::vector<std::int64_t> wanted_batches(const TrainingTask& task, const TrainingChoices& choices) {
  std::set<std::int64_t> wanted(choices.batches.begin(), choices.batches.end());
  if (choices.global_batch) {
    wanted.clear();
    for (int gpus = 1; gpus <= choices.most_gpus; ++gpus) wanted.insert((*choices.global_batch + gpus - 1) / gpus);
  } else if (wanted.empty()) {
    constexpr std::int64_t kMost = 1 << 20;
    for (std::int64_t batch = 1; batch <= std::min(task.samples, kMost); batch *= 2) wanted.insert(batch);
  }
  return {wanted.begin(), wanted.end()};
}

// Of the batches that fit some GPU; the rest, from the smallest on, is not looked at.
Result<std::vector<Batch>> batches_of(const TrainingTask& task, const TrainingChoices& choices) {
  Bytes most;
  for (const Gpu& gpu : choices.gpus) most = std::max(most, usable_memory(gpu, choices));
  std::vector<Batch> batches;
  for (const std::int64_t samples : wanted_batches(task, choices)) {
    auto workload = task.workload_of(samples);
    if (!workload) return tl::unexpected(workload.error());
    Batch batch;
    batch.samples = samples;
    batch.stored = stored_as(std::move(*workload), choices.predict.precision);
    batch.memory = training_memory(batch.stored, choices.optimizer);
    const bool fits = batch.memory.total() <= most;
    if (!fits && batches.empty()) {
      return fail(
          ErrorCode::unsupported,
          fmt::format("training needs {} of memory at a batch of {} a GPU, more than is usable of any of the GPUs ({})",
                      print(batch.memory.total()), samples, print(most)));
    }
    if (!fits) break;
    batches.push_back(std::move(batch));
  }
  return batches;
}

// The step of one GPU for each batch that it holds.
struct GpuSteps {
  struct Step {
    Seconds time;
    std::optional<Interval> range;
  };
  std::vector<Step> steps;  // in the order of the batches
  std::string refused;      // why there are none
};

GpuSteps steps_of(const Gpu& gpu, const std::vector<Batch>& batches, const TrainingChoices& choices,
                  const std::function<void()>& done) {
  GpuSteps steps;
  for (const Batch& batch : batches) {
    if (choices.stop != nullptr && *choices.stop) break;
    if (batch.memory.total() > usable_memory(gpu, choices)) break;
    const auto prediction = predict(batch.stored, gpu, choices.predict, Phase::step);
    if (!prediction) {
      steps.refused = prediction.error().message;
      break;
    }
    steps.steps.push_back({prediction->time, interval_of(*prediction)});
    done();
  }
  return steps;
}

// Of all GPUs, on several threads: each takes the next GPU that none has.
std::vector<GpuSteps> all_steps(const std::vector<const Gpu*>& gpus, const std::vector<Batch>& batches,
                                const TrainingChoices& choices) {
  std::vector<GpuSteps> steps(gpus.size());
  std::size_t all = 0, done = 0;
  for (const Gpu* gpu : gpus) {
    for (const Batch& batch : batches) all += batch.memory.total() <= usable_memory(*gpu, choices) ? 1 : 0;
  }
  std::mutex mutex;
  const auto one_done = [&] {
    const std::lock_guard lock(mutex);
    ++done;
    if (choices.progress) choices.progress(done, all);
  };
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < gpus.size(); i = next++) {
      steps[i] = steps_of(*gpus[i], batches, choices, one_done);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::min<std::size_t>(choices.threads, gpus.size()); ++i) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return steps;
}

double iterations_of(const TrainingTask& task, std::int64_t global_batch) {
  const std::int64_t an_epoch = (task.samples + global_batch - 1) / global_batch;
  return static_cast<double>(an_epoch) * static_cast<double>(task.epochs);
}

// The largest batch of all GPUs together that an option with these may have; nothing if the option is none.
std::optional<std::int64_t> global_batch_of(const TrainingTask& task, const TrainingChoices& choices,
                                            std::int64_t batch, int gpus) {
  if (choices.global_batch) {
    const std::int64_t share = (*choices.global_batch + gpus - 1) / gpus;
    return share == batch && *choices.global_batch >= gpus ? choices.global_batch : std::nullopt;
  }
  const std::int64_t all = batch * gpus;
  if (all > task.samples && gpus > 1) return std::nullopt;
  if (choices.most_global_batch && all > *choices.most_global_batch) return std::nullopt;
  return all;
}

bool meets(const TrainingTask& task, const TrainingOption& option, bool cautious) {
  if (cautious && !option.step_range) return false;
  const Seconds time = cautious ? option.time_high() : option.time;
  const Dollars cost = cautious ? option.cost_high() : option.cost;
  return (!task.deadline || time <= *task.deadline) && (!task.budget || cost <= *task.budget);
}

// Options of one GPU with one batch, one for each number of GPUs.
void add_options(std::vector<TrainingOption>& options, std::size_t gpu_index, const Gpu& gpu, const GpuPrice& price,
                 const Batch& batch, const GpuSteps::Step& step, const TrainingTask& task,
                 const TrainingChoices& choices) {
  const Bytes gradients = gradient_bytes(batch.stored);
  for (int gpus = 1; gpus <= choices.most_gpus; ++gpus) {
    const auto global_batch = global_batch_of(task, choices, batch.samples, gpus);
    const auto link = link_of(gpu, gpus);
    if (!global_batch || (gpus > 1 && !link)) continue;
    TrainingOption option;
    option.gpu = gpu_index;
    option.gpus = gpus;
    option.batch = batch.samples;
    option.global_batch = *global_batch;
    option.iterations = iterations_of(task, *global_batch);
    option.memory = batch.memory;
    AddedTime added;
    if (gpus > 1) {
      option.link = link->name;
      added = added_time(step.time, gradients, gpus, link->bandwidth, choices.scaling);
    }
    option.added = added.time;
    option.step = step.time + added.time;
    if (step.range) {
      option.step_range = Interval{step.range->low + added.range.low, step.range->high + added.range.high};
    }
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

std::string described(const TrainingPlan& plan, const TrainingOption& option) {
  return fmt::format("{} x {} at a batch of {} each take {} for {:.4g} USD", option.gpus, plan.gpus[option.gpu].id,
                     option.batch, print_duration(option.time), option.cost.value());
}

const TrainingOption* least(const TrainingPlan& plan, std::optional<std::size_t> gpu, bool by_time) {
  const TrainingOption* best = nullptr;
  for (const TrainingOption& option : plan.options) {
    if (gpu && option.gpu != *gpu) continue;
    if (best == nullptr || rank(option, by_time) < rank(*best, by_time)) best = &option;
  }
  return best;
}

bool has_interval(const TrainingPlan& plan, std::optional<std::size_t> gpu) {
  return std::any_of(plan.options.begin(), plan.options.end(),
                     [&](const TrainingOption& option) { return option.step_range && (!gpu || option.gpu == *gpu); });
}

// Which bound none of a GPU's options meets, or that none meets both.
std::string why_not(const TrainingTask& task, const TrainingChoices& choices, const TrainingPlan& plan,
                    std::optional<std::size_t> gpu) {
  const TrainingOption* fastest = least(plan, gpu, true);
  const TrainingOption* cheapest = least(plan, gpu, false);
  if (fastest == nullptr) return "no number of GPUs fits the batch";
  if (choices.cautious && !has_interval(plan, gpu)) return "caution: the interval of its time is not known";
  const Seconds time = choices.cautious ? fastest->time_high() : fastest->time;
  const Dollars cost = choices.cautious ? cheapest->cost_high() : cheapest->cost;
  if (task.deadline && time > *task.deadline) return "deadline: the fastest, " + described(plan, *fastest);
  if (task.budget && cost > *task.budget) return "budget: the cheapest, " + described(plan, *cheapest);
  return fmt::format("deadline and budget together: the fastest, {}; the cheapest, {}", described(plan, *fastest),
                     described(plan, *cheapest));
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

}  // namespace

Result<TrainingPlan> plan_training(const TrainingTask& task, const TrainingChoices& choices) {
  TrainingPlan plan;
  plan.model = task.model;
  plan.precision = name_of(choices.predict.precision);
  plan.method = label_of(choices.predict);
  std::vector<const Gpu*> priced;
  for (const Gpu& gpu : choices.gpus) {
    auto price = price_of(gpu, choices.prices);
    if (!price) {
      plan.ruled_out.push_back(
          {gpu.id, fmt::format("no {}price is known", choices.prices.basis == PriceBasis::rented ? "rental " : "")});
      continue;
    }
    priced.push_back(&gpu);
    plan.gpus.push_back({gpu.id, std::move(*price)});
  }
  if (priced.empty()) {
    return fail(ErrorCode::not_found,
                "no such price is known for any of the GPUs; give --price ID=USD, or --price-basis any");
  }
  const auto batches = batches_of(task, choices);
  if (!batches) return tl::unexpected(batches.error());
  const std::vector<GpuSteps> steps = all_steps(priced, *batches, choices);
  plan.stopped = choices.stop != nullptr && *choices.stop;
  std::vector<PlannedGpu> planned;
  for (std::size_t i = 0; i < priced.size(); ++i) {
    const Gpu& gpu = *priced[i];
    const GpuSteps& own = steps[i];
    if (own.steps.empty()) {
      if (plan.stopped) continue;
      const Batch& first = batches->front();
      plan.ruled_out.push_back({gpu.id, own.refused.empty() ? fmt::format("memory: {} at a batch of {}, usable are {}",
                                                                          print(first.memory.total()), first.samples,
                                                                          print(usable_memory(gpu, choices)))
                                                            : own.refused});
      continue;
    }
    for (std::size_t b = 0; b < own.steps.size(); ++b) {
      add_options(plan.options, planned.size(), gpu, plan.gpus[i].price, (*batches)[b], own.steps[b], task, choices);
    }
    planned.push_back(plan.gpus[i]);
  }
  plan.gpus = std::move(planned);
  choose(plan, task, choices);
  return plan;
}

std::string why_none(const TrainingTask& task, const TrainingChoices& choices, const TrainingPlan& plan) {
  if (plan.options.empty()) {
    return plan.ruled_out.empty()
               ? "no GPU is left"
               : fmt::format("no GPU can train it; {}: {}", plan.ruled_out.front().gpu, plan.ruled_out.front().why);
  }
  return "nothing will do; " + why_not(task, choices, plan, std::nullopt);
}

}  // namespace rooftile
