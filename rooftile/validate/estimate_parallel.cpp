#include "rooftile/validate/estimate_parallel.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/parallel_forward.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {
namespace {

Result<ParallelNetwork> network_of(const NetworkRun& run) {
  auto network = parallel_network(run);
  if (network || network.error().code != ErrorCode::not_found) return network;
  return fail(ErrorCode::unsupported, network.error().text(), "column model");  // that nobody described here
}

LayerEstimate network_estimate(Seconds time, Seconds low, Seconds high, bool waits) {
  LayerEstimate estimate;
  estimate.op = "network";
  estimate.method = Method::rooftile;
  estimate.time = time;
  estimate.time_low = low;
  estimate.time_high = high;
  estimate.bottleneck = waits ? Bottleneck::link : Bottleneck::compute;
  return estimate;
}

}  // namespace

Result<LayerEstimate> estimate_parallel(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                        const PredictOptions& options) {
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
  parallel.predict.optimizer = run.optimizer.value_or(network.shape ? Optimizer::adamw : Optimizer::sgd);
  parallel.style = style_of(options.framework);
  const Parallelism way = usual_way(*run.parallel, options.framework);
  const auto blocks = blocks_of(network, way, gpu, parallel.predict);
  if (!blocks) return fail(blocks.error().code, blocks.error().text(), "column gpus");
  const auto step = parallel_step(*blocks, way, usual_cluster(gpu), gpu, parallel);
  if (!step) return fail(step.error().code, step.error().text(), "column gpus");
  const StepParts& parts = step->parts;
  LayerEstimate estimate =
      network_estimate(step->time, step->low, step->high, parts.exchanges + parts.gradients > parts.computing);
  estimate.flops = step->flops;
  return estimate;
}

Result<LayerEstimate> estimate_parallel_forward(const NetworkRun& run, std::optional<std::int64_t> context,
                                                const Gpu& gpu, const PredictOptions& options) {
  const ParallelNetwork network = TRY(network_of(run));
  if (!network.shape)
    return fail(ErrorCode::unsupported, "of several GPUs only transformers are served", "column model");
  Parallelism way = *run.parallel;
  // llama.cpp gives each GPU some of the layers, and one sequence goes through them in turn: as on a single GPU.
  if (options.framework.starts_with("llama.cpp")) way.pp = way.dp;
  const std::int64_t batch = run.batch.value_or(1);
  ForwardRun forward;
  forward.batch = options.framework.starts_with("llama.cpp") ? batch : (batch + way.dp - 1) / way.dp;
  forward.seq_len = context ? 1 : network.seq_len;
  forward.context = context;
  const auto time = parallel_forward(*network.shape, forward, way, usual_cluster(gpu), gpu, options);
  if (!time) return fail(time.error().code, time.error().text(), "column gpus");
  const Seconds moved = time->exchanging + time->sending;
  return network_estimate(time->time, time->low, time->high, moved > time->time / 2);
}

}  // namespace rooftile
