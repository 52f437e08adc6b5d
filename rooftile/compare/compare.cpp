#include "rooftile/compare/compare.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/compare/busy.hpp"
#include "rooftile/cost/energy.hpp"
#include "rooftile/predict/largest_batch.hpp"
#include "rooftile/predict/prepared_network.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/workload/any_batch.hpp"

namespace rooftile {
namespace {

constexpr double kJoulesOfKilowattHour = 3.6e6;

// What a GPU's row says whatever runs on it.
struct Board {
  std::optional<CostModel> costs;
  std::string no_costs;  // why not, where a table was given
  HardwareCost hardware;
  std::shared_ptr<const GpuPrice> price;
  std::shared_ptr<const BoardPrice> bought;
};

template <class Value>
std::shared_ptr<const Value> shared_or_null(std::optional<Value> value) {
  return value ? std::make_shared<const Value>(*std::move(value)) : nullptr;
}

Board board_of(const Gpu& gpu, const CompareTask& task) {
  Board board;
  board.price = shared_or_null(price_of(gpu, task.prices));
  board.bought = shared_or_null(board_price_of(gpu));
  if (task.costs == nullptr) return board;
  if (const auto costs = cost_model_of(*task.costs, gpu)) {
    board.costs = *costs;
    board.hardware = cost_of(gpu, *costs);
  } else {
    board.no_costs = costs.error().message;
  }
  return board;
}

// What sets the time: the input or the host where the GPU waits for it all along, however busy it is meanwhile.
std::string limit_of(const Prediction& prediction, const TimeBounds& by) {
  constexpr double kAllAlong = 0.95, kMuch = 0.05;  // of the time: issuing, waiting for the input
  const Seconds input = prediction.input ? prediction.input->waiting : Seconds(0);
  if (input > prediction.time * kMuch) return "input";
  const bool issues_all_along = prediction.host && prediction.host->waiting > Seconds(0) &&
                                prediction.host->issuing > (prediction.time - input) * kAllAlong;
  if (issues_all_along) return "host";
  const Seconds host = prediction.host ? prediction.host->waiting : Seconds(0);
  return host > prediction.time - input - host ? "host" : std::string(name_of(largest(by)));
}

void add_shares(const Prediction& prediction, ComparedRun& run) {
  const Seconds busy = gpu_busy(prediction);
  run.gpu_busy = busy / prediction.time;
  if (busy > Seconds(0) && prediction.peak > FlopsPerSecond(0)) {
    run.peak_share = prediction.flops / busy / prediction.peak;
  }
  if (prediction.input) run.cpu_busy = std::min(1.0, cores_busy(prediction) / prediction.time);
}

ComparedRun run_of(const Prediction& prediction, const Gpu& gpu, const Board& board, const CompareTask& task) {
  ComparedRun run;
  run.model = prediction.model;
  run.gpu = gpu.id;
  run.batch_size = prediction.batch_size * prediction.micro_batches;
  run.time = prediction.time;
  run.interval = interval_of(prediction);
  run.by = time_by_bottleneck(prediction);
  run.limit = limit_of(prediction, run.by);
  if (run.limit == "input") run.input_limit = name_of(prediction.input->limit());
  add_shares(prediction, run);
  run.memory = prediction.memory.total();
  run.capacity = gpu.level("DRAM").capacity * task.memory_share;
  run.price = board.price;
  run.board = board.bought;
  if (board.costs) {
    run.energy = energy_of(prediction, gpu, *board.costs, board.hardware).total();
    if (gpu.tdp) run.energy = std::min(*run.energy, *gpu.tdp * run.time);  // which the board holds
  }
  run.samples = task.samples;
  run.epochs = task.epochs;
  if (task.grid) run.grams_per_joule = task.grid->grams_per_kwh / kJoulesOfKilowattHour;
  run.usd_per_joule = task.prices.usd_per_joule;
  return run;
}

// A model at one batch size and precision; it stays where it is.
struct Prepared {
  explicit Prepared(NetworkAt at) : network(std::move(at)) {}
  NetworkAt network;
  std::optional<PreparedNetwork> prepared;
};

// A model at one precision, at whatever batch it is asked for.
class ModelAt {
 public:
  ModelAt(const CompareTask::Model& model, std::optional<RunPrecision> precision)
      : model_(model), precision_(precision) {}

  const std::string& name() const { return model_.name; }

  Result<const Prepared*> at(std::optional<std::int64_t> batch) {
    auto& made = prepared_[batch];
    if (made) return made.get();
    auto one = std::make_unique<Prepared>(TRY(model_.at(batch, precision_)));
    one->network.options.breakdown = false;
    one->prepared = TRY(PreparedNetwork::make(*one->network.workload, one->network.options, one->network.phase));
    made = std::move(one);
    return made.get();
  }

  Result<std::int64_t> largest(Bytes capacity) {
    if (!model_.any_batch) return fail(ErrorCode::usage, "it has its own batch size", model_.name);
    const auto known = memory_;
    return largest_batch([&](std::int64_t batch) { return memory_at(batch); }, capacity, known);
  }

  Result<Bytes> memory_at(std::int64_t batch) {
    if (const auto known = memory_.find(batch); known != memory_.end()) return known->second;
    if (!sized_) size();
    if (any_ && batch >= least_) return memory_[batch] = memory_of(any_->at(batch), options_, phase_).total();
    const NetworkAt network = TRY(model_.at(batch, precision_));
    return memory_[batch] = memory_of(launched(network), network.options, network.phase).total();
  }

 private:
  static Workload launched(const NetworkAt& network) {
    return run_as(*network.workload, network.options, network.phase);
  }

  // Loading takes longer than all else that memory takes, so two batch sizes tell about all, where they can. A single
  // sample may be a case of its own.
  void size() {
    sized_ = true;
    constexpr std::int64_t kFewest = 2, kOther = 32;
    const auto loaded = [](const auto& made) { return made.first.value_or(1) > kFewest && made.second != nullptr; };
    const auto made = std::find_if(prepared_.begin(), prepared_.end(), loaded);
    const auto other =
        made != prepared_.end() ? Result<NetworkAt>(made->second->network) : model_.at(kOther, precision_);
    if (!other) return;
    const Workload more = launched(*other);
    for (const std::int64_t few : {std::int64_t{1}, kFewest}) {
      const auto network = model_.at(few, precision_);
      if (!network) return;
      any_ = AnyBatch::from(launched(*network), more);
      least_ = few;
      if (any_) break;
    }
    options_ = other->options;
    phase_ = other->phase;
  }

  const CompareTask::Model& model_;
  std::optional<RunPrecision> precision_;
  std::map<std::optional<std::int64_t>, std::unique_ptr<Prepared>> prepared_;
  std::map<std::int64_t, Bytes> memory_;
  bool sized_ = false;
  std::optional<AnyBatch> any_;
  std::int64_t least_ = 1;  // from which on it holds
  PredictOptions options_;
  Phase phase_ = Phase::fwd;
};

// What the models share.
class Shared {
 public:
  explicit Shared(const CompareTask& of) : task(of) {
    boards.resize(of.gpus.size());
    std::atomic<std::size_t> next = 0;
    on_threads(of.threads, [&](std::size_t) {  // each reads a file of prices
      for (std::size_t i = next++; i < boards.size(); i = next++) boards[i] = board_of(of.gpus[i], of);
    });
    std::size_t precisions = of.precisions.empty() ? 1 : 0;
    for (const auto& several : of.precisions) precisions += several.size();
    all_ = of.models.size() * of.batches.size() * precisions * of.gpus.size();
  }

  bool stopped() const { return task.stop != nullptr && task.stop->load(); }

  void report() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (task.progress) task.progress(done_, all_);
  }

  const CompareTask& task;
  std::vector<Board> boards;

 private:
  std::mutex mutex_;
  std::size_t done_ = 0, all_ = 0;
};

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

// One model at all batches and precisions.
class ComparingModel {
 public:
  // With so many threads of its own.
  ComparingModel(Shared& shared, const CompareTask::Model& model, unsigned threads)
      : shared_(shared), task_(shared.task), threads_(threads), known_(task_.gpus.size()) {
    for (const auto& several : task_.precisions) {
      auto& at = models_.emplace_back();
      for (const RunPrecision& precision : several) at.emplace_back(model, precision);
    }
    if (models_.empty()) models_.emplace_back().emplace_back(model, std::nullopt);
  }

  Result<Comparison> run() {
    for (const CompareTask::Batch& batch : task_.batches) {
      if (shared_.stopped()) break;
      TRY(add(batch));
    }
    return std::move(comparison_);
  }

 private:
  using Outcome = std::optional<Result<ComparedRun>>;  // nothing where it was stopped

  // A model at one batch and precision, by GPU.
  struct OnAll {
    std::vector<const Prepared*> networks;  // null: there is nothing to predict
    std::vector<Outcome> outcomes;
  };

  Result<void> add(const CompareTask::Batch& batch) {
    std::vector<std::vector<OnAll>> all;  // as models_
    for (std::vector<ModelAt>& several : models_) {
      auto& prepared = all.emplace_back();
      for (ModelAt& model : several) prepared.push_back(TRY(prepare(model, batch)));
    }
    predict(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t gpu = 0; gpu < task_.gpus.size(); ++gpu) choose(all[i], gpu, models_[i], batch.largest);
    }
    return {};
  }

  Result<OnAll> prepare(ModelAt& model, const CompareTask::Batch& batch) {
    OnAll all{std::vector<const Prepared*>(task_.gpus.size()), std::vector<Outcome>(task_.gpus.size())};
    for (std::size_t gpu = 0; gpu < task_.gpus.size(); ++gpu) {
      std::optional<std::int64_t> size = batch.size;
      if (batch.largest) {
        const Bytes capacity = task_.gpus[gpu].level("DRAM").capacity * task_.memory_share;
        size = TRY(model.largest(capacity));
        if (*size == 0) {
          describe(TRY(model.at(1))->network);
          all.outcomes[gpu] =
              fail(ErrorCode::unsupported, fmt::format("one sample of {} needs {} of memory, it has {}", model.name(),
                                                       print(TRY(model.memory_at(1))), print(capacity)));
          continue;
        }
      }
      all.networks[gpu] = TRY(model.at(size));
      describe(all.networks[gpu]->network);
    }
    return all;
  }

  // GPU by GPU, whose estimates in one precision are at hand for the next.
  void predict(std::vector<std::vector<OnAll>>& all) {
    std::atomic<std::size_t> next = 0;
    on_threads(threads_, [&](std::size_t) {
      for (std::size_t gpu = next++; gpu < task_.gpus.size(); gpu = next++) {
        RefinedModels models(true);
        for (std::vector<OnAll>& several : all) {
          for (OnAll& one : several) {
            if (shared_.stopped()) return;
            if (one.networks[gpu] != nullptr) one.outcomes[gpu] = on_gpu(*one.networks[gpu], gpu, models);
            shared_.report();
          }
        }
      }
    });
  }

  // One prediction does for all precisions that are the same to the GPU.
  Result<ComparedRun> on_gpu(const Prepared& network, std::size_t gpu, RefinedModels& models) {
    const Gpu& on = task_.gpus[gpu];
    const PredictOptions& options = network.network.options;
    const Asked asked{network.network.workload->batch_size, asked_for(options.precision, on), options.autocast};
    std::optional<ComparedRun>& known = known_[gpu][asked];
    if (!known) known = run_of(TRY(network.prepared->on(on, models)), on, shared_.boards[gpu], task_);
    ComparedRun run = *known;
    run.precision = name_of(RunPrecision{options.precision, options.autocast});
    run.widened = computed_in(options.precision, on) != options.precision;
    return run;
  }

  void describe(const NetworkAt& network) {
    comparison_.pass = name_of_pass(network.phase);
    comparison_.execution = name_of(network.options.execution);
    if (network.phase == Phase::step && !network.workload->captured) {
      comparison_.optimizer = name_of(network.options.optimizer);
    }
    for (const std::string& note : network.workload->notes) {
      add_once(comparison_.notes, fmt::format("{}: {}", network.workload->name, note));
    }
  }

  static const ComparedRun* found(const Outcome& outcome) { return outcome && *outcome ? &**outcome : nullptr; }

  // What counts of a precision, the most important first: that the baseline has it, that it fits, that both GPUs
  // compute in it. A GPU that only stores a precision and widens it is slow in it, and a ratio to it says nothing of
  // the other.
  using Merits = std::array<bool, 3>;
  Merits merits(const OnAll& all, std::size_t gpu) const {
    const ComparedRun& run = *found(all.outcomes[gpu]);
    const ComparedRun* baseline = baseline_of(all);
    const bool native = baseline != nullptr && !run.widened && !baseline->widened;
    return {baseline != nullptr, run.fits(), native};
  }

  const ComparedRun* baseline_of(const OnAll& all) const {
    return task_.baseline ? found(all.outcomes[*task_.baseline]) : nullptr;
  }

  // The fastest of the precisions with the most merits; of two as fast the first.
  std::optional<std::size_t> best_precision(const std::vector<OnAll>& several, std::size_t gpu) const {
    constexpr double kAsFast = 1.001;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < several.size(); ++i) {
      const ComparedRun* one = found(several[i].outcomes[gpu]);
      if (one == nullptr) continue;
      if (best) {
        const Merits own = merits(several[i], gpu), others = merits(several[*best], gpu);
        const double rate = found(several[*best].outcomes[gpu])->samples_per_second();
        if (own < others || (own == others && one->samples_per_second() <= rate * kAsFast)) continue;
      }
      best = i;
    }
    return best;
  }

  void choose(const std::vector<OnAll>& several, std::size_t gpu, std::vector<ModelAt>& models, bool largest) {
    const auto best = best_precision(several, gpu);
    if (!best) {
      leave_out(several, gpu);
      return;
    }
    ComparedRun run = *found(several[*best].outcomes[gpu]);
    // The largest batch may be one of the others, the best precision another that was asked for.
    if (!there_.emplace(gpu, run.batch_size, run.precision).second) return;
    if (const ComparedRun* baseline = baseline_of(several[*best])) {
      run.ratio = run.samples_per_second() / baseline->samples_per_second();
    }
    if (!run.fits() && !largest) {
      if (const auto fitting = models[*best].largest(run.capacity)) run.largest_batch = *fitting;
    }
    comparison_.runs.push_back(std::move(run));
  }

  void leave_out(const std::vector<OnAll>& several, std::size_t gpu) {
    const auto unknown = [&](const OnAll& all) { return !all.outcomes[gpu]; };
    if (std::any_of(several.begin(), several.end(), unknown)) return;  // stopped
    add_once(comparison_.left_out, task_.gpus[gpu].id + ": " + several.front().outcomes[gpu]->error().message);
  }

  Shared& shared_;
  const CompareTask& task_;
  unsigned threads_;
  using Asked = std::tuple<std::int64_t, DType, bool>;                  // batch, asked_for(), autocast
  std::vector<std::map<Asked, std::optional<ComparedRun>>> known_;      // by GPU, of one thread at a time
  std::vector<std::vector<ModelAt>> models_;                            // by precisions, of which the fastest counts
  std::set<std::tuple<std::size_t, std::int64_t, std::string>> there_;  // GPU, batch and precision of each run
  Comparison comparison_;
};

void append(Comparison& all, Comparison&& one) {
  if (!one.pass.empty()) all.pass = one.pass;
  if (!one.execution.empty()) all.execution = one.execution;
  if (!one.optimizer.empty()) all.optimizer = one.optimizer;
  std::move(one.runs.begin(), one.runs.end(), std::back_inserter(all.runs));
  for (std::string& line : one.left_out) add_once(all.left_out, std::move(line));
  for (std::string& line : one.notes) add_once(all.notes, std::move(line));
}

}  // namespace

Result<Comparison> compare(const CompareTask& task) {
  Shared shared(task);
  // A model loads on one thread, so several models go side by side.
  const unsigned at_once = static_cast<unsigned>(std::min<std::size_t>(task.threads, task.models.size()));
  const unsigned inside = at_once == 0 ? 1 : std::max(1U, task.threads / at_once);
  std::vector<std::optional<Result<Comparison>>> compared(task.models.size());
  std::atomic<std::size_t> next = 0;
  on_threads(at_once, [&](std::size_t) {
    for (std::size_t i = next++; i < compared.size(); i = next++) {
      compared[i] = ComparingModel(shared, task.models[i], inside).run();
    }
  });
  Comparison comparison;
  comparison.grid = task.grid;
  if (task.baseline) comparison.baseline = task.gpus[*task.baseline].id;
  for (auto& one : compared) append(comparison, TRY(std::move(*one)));
  for (std::size_t i = 0; i < task.gpus.size(); ++i) {
    const std::string& why = shared.boards[i].no_costs;
    if (!why.empty()) add_once(comparison.notes, fmt::format("{}: no power is predicted: {}", task.gpus[i].id, why));
  }
  comparison.stopped = shared.stopped();
  return comparison;
}

}  // namespace rooftile
