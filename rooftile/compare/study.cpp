#include "rooftile/compare/study.hpp"

#include <algorithm>
#include <atomic>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/compare/busy.hpp"
#include "rooftile/hosts/input_share.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/prepared_network.hpp"

namespace rooftile {
namespace {

// What the parts of a step take together.
struct Sum {
  Seconds time, busy, cores;
  Flops flops;
  FlopsPerSecond peak;
  TimeBounds by = {};

  void add(const Prediction& prediction, double times) {
    time += prediction.time * times;
    busy += gpu_busy(prediction) * times;
    cores += cores_busy(prediction) * times;
    flops += prediction.flops * times;
    peak = prediction.peak;
    const TimeBounds own = time_by_bottleneck(prediction);
    for (std::size_t i = 0; i < kBottlenecks; ++i) by.by[i] += own.by[i] * times;
  }
};

StudyRun run_of(const Sum& sum, const Application& application) {
  StudyRun run;
  run.step = sum.time;
  run.samples_per_second = static_cast<double>(application.batch) / sum.time.value();
  run.gpu_busy = sum.busy / sum.time;
  run.waiting = 1 - run.gpu_busy;
  if (sum.peak > FlopsPerSecond(0)) run.peak_share = sum.flops / sum.busy / sum.peak;
  run.cpu_busy = std::min(1.0, sum.cores / sum.time);
  run.by = sum.by;
  return run;
}

Result<std::vector<Workload>> workloads_of(const Application& application) {
  std::vector<Workload> workloads;
  for (const Application::Part& part : application.parts) {
    workloads.push_back(TRY(load_model(part.network, {.batch_size = application.batch})));
  }
  return workloads;
}

Result<std::vector<StudyRun>> runs_of(const Study& study, std::size_t place, const std::vector<Workload>& workloads,
                                      unsigned threads) {
  const Application& application = study.applications[place];
  const Feeding feeding{study.host, {}};
  PredictOptions options;
  options.precision = study.precision.dtype;
  options.autocast = study.precision.autocast;
  options.unrolled_cells = application.unrolled_cells;
  options.feeding = &feeding;
  options.breakdown = false;
  std::vector<PreparedNetwork> networks;
  for (const Workload& workload : workloads) {
    networks.push_back(TRY(PreparedNetwork::make(workload, options, Phase::step)));
  }
  const auto on = [&](const Gpu& gpu) -> Result<StudyRun> {
    Sum sum;
    for (std::size_t i = 0; i < networks.size(); ++i) sum.add(TRY(networks[i].on(gpu)), application.parts[i].times);
    return run_of(sum, application);
  };
  std::vector<Result<StudyRun>> found(study.gpus.size());
  std::atomic<std::size_t> next = 0;
  on_threads(threads, [&](std::size_t) {
    for (std::size_t gpu = next++; gpu < found.size(); gpu = next++) found[gpu] = on(study.gpus[gpu].gpu);
  });
  std::vector<StudyRun> runs;
  for (std::size_t gpu = 0; gpu < found.size(); ++gpu) {
    runs.push_back(TRY(std::move(found[gpu])));
    runs.back().application = place;
    runs.back().gpu = gpu;
  }
  return runs;
}

void add_comparisons(const Study& study, std::vector<StudyRun>& runs) {
  double slowest = runs.front().samples_per_second;
  for (const StudyRun& run : runs) slowest = std::min(slowest, run.samples_per_second);
  for (StudyRun& run : runs) {
    run.relative = run.samples_per_second / slowest;
    const auto& price = study.gpus[run.gpu].price;
    constexpr double kThousand = 1000;
    if (price && study.host.price) {
      run.per_usd = run.samples_per_second / (price->value() + study.host.price->value()) * kThousand;
    } else if (price) {
      run.per_usd = run.samples_per_second / price->value() * kThousand;
    }
  }
}

}  // namespace

Result<StudyResult> run_study(const Study& study, unsigned threads) {
  std::vector<std::vector<Workload>> workloads;  // all, so that a wrong name is an error before any work
  for (const Application& application : study.applications) workloads.push_back(TRY(workloads_of(application)));
  StudyResult result;
  for (std::size_t i = 0; i < study.applications.size(); ++i) {
    auto runs = TRY(runs_of(study, i, workloads[i], threads));
    add_comparisons(study, runs);
    result.runs.insert(result.runs.end(), runs.begin(), runs.end());
  }
  return result;
}

}  // namespace rooftile
