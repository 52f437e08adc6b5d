#include "rooftile/validate/estimate_parallel.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "rooftile/base/try.hpp"
#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/fabric/told_cluster.hpp"
#include "rooftile/parallel/parallel_forward.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"
#include "rooftile/parallel/prompt_pipeline.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/validate/host_copy.hpp"

namespace rooftile {
namespace {

Result<ParallelNetwork> network_of(const NetworkRun& run) {
  auto network = parallel_network(run);
  if (network || network.error().code != ErrorCode::not_found) return network;
  return fail(ErrorCode::unsupported, network.error().text(), "column model");  // that nobody described here
}

LayerEstimate network_estimate(Seconds time, const std::optional<Interval>& range, bool waits) {
  LayerEstimate estimate;
  estimate.op = "network";
  estimate.method = Method::rooftile;
  estimate.time = time;
  if (range) {
    estimate.time_low = range->low, estimate.time_high = range->high;
    // What a framework adds, and what exchanges are off by, is in every pass of a request alike.
    estimate.common_error = std::max(time / range->low, range->high / time);
  }
  estimate.bottleneck = waits ? Bottleneck::link : Bottleneck::compute;
  return estimate;
}

// torch.nn.DataParallel: threads of one process, which take turns at Python's lock in the forward pass and not in the
// backward one (autograd's threads, one a GPU, run without Python). Before each forward pass the weights are copied to
// all GPUs (torch/nn/parallel/replicate.py), and gradients are added up on the first. Rows of two to four GPUs tell
// what that costs the host, however many GPUs: twice what calling all modules does, and once more for the gradients.
Result<LayerEstimate> estimate_one_process(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                           const PredictOptions& options) {
  const Parallelism& way = *run.parallel;
  const ParallelNetwork network = TRY(network_of(run));
  const Workload workload = TRY(network.workload(way.micro_batch));
  const auto prediction = predict(workload, gpu, options, phase);
  if (!prediction) return fail(prediction.error().code, prediction.error().text(), "column precision");
  const Group group = group_of(told_cluster(gpu, run.gpus, run.fabric), way.dp, 1);
  const Collective copy = {CollectiveKind::broadcast, way.dp, prediction->memory.weights, options.precision};
  const bool trains = phase != Phase::fwd;
  const Seconds moved = collective_time(copy, gpu, group).time * (trains ? 2 : 1);
  const InOrder<LayerEstimate> layers = prediction->run();
  const auto after = std::find_if(layers.begin(), layers.end(),
                                  [](const LayerEstimate& layer) { return layer.part != StepPart::forward; });
  const InOrder<LayerEstimate> forward = layers.first(static_cast<std::size_t>(after - layers.begin()));
  const double preparing = trains ? 3 : 2;
  Seconds issuing, replicating;
  if (prediction->host) {
    const Seconds calling = host_share(forward, prediction->host->costs).issuing;
    issuing = prediction->host->issuing + calling * (way.dp - 1);
    replicating = calling * preparing;
  }
  const Seconds copying = run.host_copy ? copy_time(workload, options, gpu) * way.dp : Seconds(0);
  const Seconds computing = std::max(prediction->time, issuing) + replicating + copying;
  const Seconds time = computing + moved;
  std::optional<Interval> range = interval_of(*prediction);
  if (range) range = Interval{time * (range->low / prediction->time), time * (range->high / prediction->time)};
  return network_estimate(time, range, moved > computing);
}

}  // namespace

Result<LayerEstimate> estimate_parallel(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                        const PredictOptions& options) {
  if (run.one_process) {
    PredictOptions own = options;
    own.execution = run.execution;
    own.narrow_norms = run.narrow_norms;
    own.host_single_thread = run.host_single_thread;
    own.optimizer = run.optimizer.value_or(Optimizer::sgd);
    return estimate_one_process(run, phase, gpu, own);
  }
  if (phase != Phase::step) {
    return fail(ErrorCode::unsupported, "of several GPUs only training steps are predicted", "column pass");
  }
  if (options.method != Method::rooftile) {
    return fail(ErrorCode::unsupported, "of several GPUs only method rooftile predicts steps", "column gpus");
  }
  const ParallelNetwork network = TRY(network_of(run));
  ParallelOptions parallel;
  parallel.predict = options;
  parallel.predict.execution = run.execution;
  parallel.predict.narrow_norms = run.narrow_norms;
  parallel.predict.host_single_thread = run.host_single_thread;
  parallel.predict.optimizer = run.optimizer.value_or(network.shape ? Optimizer::adamw : Optimizer::sgd);
  parallel.style = style_of(options.framework);
  const Parallelism way = usual_way(*run.parallel, options.framework);
  const auto blocks = blocks_of(network, way, gpu, parallel.predict);
  if (!blocks) return fail(blocks.error().code, blocks.error().text(), "column gpus");
  ToldFabric fabric = run.fabric;
  if (parallel.style.through_host && fabric.interconnect.empty()) fabric.interconnect = host_memory_link().name;
  const auto step = parallel_step(*blocks, way, told_cluster(gpu, run.gpus, fabric), gpu, parallel);
  if (!step) return fail(step.error().code, step.error().text(), "column gpus");
  const StepParts& parts = step->parts;
  LayerEstimate estimate =
      network_estimate(step->time, step->range, parts.exchanges + parts.gradients > parts.computing);
  estimate.flops = step->flops;
  return estimate;
}

std::int64_t replica_batch(const NetworkRun& run, std::string_view framework) {
  const std::int64_t batch = run.batch.value_or(1);
  const std::int64_t replicas = run.parallel && !is_llama_cpp(framework) ? run.parallel->dp : 1;
  return (batch + replicas - 1) / replicas;
}

Result<LayerEstimate> estimate_parallel_forward(const NetworkRun& run, std::optional<std::int64_t> context,
                                                std::optional<std::int64_t> positions, const Gpu& gpu,
                                                const PredictOptions& options) {
  const ParallelNetwork network = TRY(network_of(run));
  if (!network.shape)
    return fail(ErrorCode::unsupported, "of several GPUs only transformers are served", "column model");
  Parallelism way = *run.parallel;
  // llama.cpp gives each GPU some of the layers, and one sequence goes through them in turn: as on a single GPU.
  if (is_llama_cpp(options.framework)) way.pp = way.dp, way.dp = 1;
  ForwardRun forward;
  forward.batch = replica_batch(run, options.framework);
  forward.seq_len = positions.value_or(context ? 1 : network.seq_len);
  forward.context = context;
  const auto time =
      parallel_forward(*network.shape, forward, way, told_cluster(gpu, run.gpus, run.fabric), gpu, options);
  if (!time) return fail(time.error().code, time.error().text(), "column gpus");
  const Seconds moved = time->exchanging + time->sending;
  LayerEstimate estimate = network_estimate(time->time, time->range, moved > time->time / 2);
  estimate.kernels = time->launches;
  return estimate;
}

Result<double> overlap_of_parts(const NetworkRun& run, double launches, std::span<const Seconds> parts) {
  const ParallelNetwork network = TRY(network_of(run));
  const std::int64_t layers = network.shape ? network.shape->layers : run.gpus;
  const PromptPipeline pipeline = {.shares = layer_shares(layers, run.gpus), .launches = launches};
  const Seconds alone = std::accumulate(parts.begin(), parts.end(), Seconds(0));
  return prompt_time(pipeline, parts) / alone;
}

}  // namespace rooftile
