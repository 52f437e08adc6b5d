#include "rooftile/validate/estimate_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/network_run.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/validate/estimate_parallel.hpp"
#include "rooftile/validate/host_copy.hpp"
#include "rooftile/validate/prompt_parts.hpp"

namespace rooftile {
namespace {

void add(LayerEstimate& estimate, Seconds time) {
  estimate.time += time;
  if (estimate.time_low) *estimate.time_low += time;
  if (estimate.time_high) *estimate.time_high += time;
}

void scale_time(LayerEstimate& estimate, double factor) {
  for (Seconds& bound : estimate.cases.by) bound = bound * factor;
  estimate.time = estimate.time * factor;
  if (estimate.time_low) *estimate.time_low = *estimate.time_low * factor;
  if (estimate.time_high) *estimate.time_high = *estimate.time_high * factor;
}

// So many of the same, one after another.
LayerEstimate times(LayerEstimate estimate, double count) {
  estimate.flops = estimate.flops * count;
  estimate.traffic = estimate.traffic * count;
  estimate.kernels *= count;
  scale_time(estimate, count);
  return estimate;
}

class NetworkEstimate {
 public:
  NetworkEstimate(const NetworkRun& run, Phase phase, const Gpu& gpu, const PredictOptions& options)
      : run_(run), phase_(phase), gpu_(gpu), options_(options) {
    options_.execution = run.execution;
    options_.narrow_norms = run.narrow_norms;
    options_.cuda_graphs = options_.cuda_graphs || run.cuda_graphs;
    options_.host_single_thread = run.host_single_thread;
    options_.optimizer = run.optimizer.value_or(Optimizer::sgd);
    if (run.weights) options_.weights = run.weights;
    if (run.expert_weights) options_.expert_weights = run.expert_weights;
    if (run.cache) options_.cache = run.cache;
  }

  Result<LayerEstimate> of_run() const {
    if (!run_.request) return of({}, {});
    const ServedRequest& request = *run_.request;
    std::vector<LayerEstimate> parts;
    if (request.reads) {
      TRY(add_prompt(parts));
      add(parts.front(), serving_time(options_, true, sequences()));
    }
    // The prompt already gives the first token where it counts. Steps take longer the more is cached, each by as much.
    const std::int64_t steps = request.output_tokens - (request.reads ? 1 : 0);
    if (request.writes && steps > 0) {
      const std::int64_t first = std::max<std::int64_t>(request.input_tokens, 1);
      for (const std::int64_t context : {first, first + steps - 1}) {
        auto step = TRY(of(context, {}));
        add(step, serving_time(options_, false, sequences()));
        parts.push_back(times(step, static_cast<double>(steps) / 2));
      }
    }
    return parts.size() == 1 ? std::move(parts.front()) : sum_of(parts);
  }

 private:
  // That a server has in a pass.
  double sequences() const { return static_cast<double>(replica_batch(run_, options_.framework)); }

  Result<void> add_prompt(std::vector<LayerEstimate>& parts) const {
    if (!run_.seq_len) {  // the network's own
      parts.push_back(TRY(of({}, {})));
      return {};
    }
    const std::vector<PromptPart> prompt = prompt_parts(options_.framework, *run_.seq_len);
    std::vector<Seconds> predicted;
    double launches = 0;
    for (const PromptPart& part : prompt) {
      const auto once = TRY(of(part.context, part.positions));
      predicted.push_back(once.time), launches = once.kernels;
      parts.push_back(times(once, part.times));
    }
    if (run_.gpus == 1 || prompt.size() == 1) return {};
    const double overlap = TRY(overlap_of_parts(run_, launches, part_times(prompt, predicted)));
    for (LayerEstimate& part : parts) scale_time(part, overlap);
    return {};
  }

  Result<LayerEstimate> of(std::optional<std::int64_t> context, std::optional<std::int64_t> positions) const {
    if (run_.parallel) return estimate_parallel_forward(run_, context, positions, gpu_, options_);
    const auto workload = load_network(run_, context, positions);
    if (!workload) {
      // A table may name networks that nobody described here.
      const ErrorCode code =
          workload.error().code == ErrorCode::not_found ? ErrorCode::unsupported : workload.error().code;
      return fail(code, workload.error().text(), "column model");
    }
    auto estimate = TRY(estimate_network(*workload, phase_, gpu_, options_));
    if (run_.host_copy) add(estimate, copy_time(*workload, options_, gpu_));  // the inputs come from the host first
    return estimate;
  }

  const NetworkRun& run_;
  Phase phase_;
  const Gpu& gpu_;
  PredictOptions options_;
};

}  // namespace

Result<LayerEstimate> estimate_network(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  if (run.parallel && !run.request) return estimate_parallel(run, phase, gpu, options);
  return NetworkEstimate(run, phase, gpu, options).of_run();
}

Result<LayerEstimate> estimate_network(const Workload& workload, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  PredictOptions sums = options;
  sums.breakdown = false;
  const auto prediction = predict(workload, gpu, sums, phase);
  if (!prediction) return fail(prediction.error().code, prediction.error().text(), "column precision");
  LayerEstimate sum = sum_of(prediction->run());
  sum.op = "network";
  sum.function.clear();
  sum.method = options.method;
  sum.time = prediction->time;
  if (const auto interval = interval_of(*prediction)) {
    sum.time_low = interval->low;
    sum.time_high = interval->high;
    // What a framework adds is in every pass of a request alike.
    sum.common_error = std::exp(std::hypot(std::log(sum.common_error), network_error(*prediction)));
  }
  return sum;
}

}  // namespace rooftile
