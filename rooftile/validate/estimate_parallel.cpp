#include "rooftile/validate/estimate_parallel.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {

Result<LayerEstimate> estimate_parallel(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                        const PredictOptions& options) {
  if (run.request || phase != Phase::step) {
    return fail(ErrorCode::unsupported, "of several GPUs only training steps are predicted", "column pass");
  }
  if (options.method != Method::rooftile) {
    return fail(ErrorCode::unsupported, "of several GPUs only method rooftile predicts steps", "column gpus");
  }
  const auto network = parallel_network(run);
  if (!network) {
    const bool unknown = network.error().code == ErrorCode::not_found;
    return fail(unknown ? ErrorCode::unsupported : network.error().code, network.error().text(), "column model");
  }
  ParallelOptions parallel;
  parallel.predict = options;
  parallel.predict.execution = run.execution;
  parallel.predict.optimizer = run.optimizer.value_or(network->shape ? Optimizer::adamw : Optimizer::sgd);
  parallel.style = style_of(options.framework);
  const Parallelism way = usual_way(*run.parallel, options.framework);
  const auto blocks = blocks_of(*network, way, gpu, parallel.predict);
  if (!blocks) return fail(blocks.error().code, blocks.error().text(), "column gpus");
  const auto step = parallel_step(*blocks, way, usual_cluster(gpu), gpu, parallel);
  if (!step) return fail(step.error().code, step.error().text(), "column gpus");
  LayerEstimate estimate;
  estimate.op = "network";
  estimate.method = Method::rooftile;
  estimate.flops = step->flops;
  estimate.time = step->time;
  estimate.time_low = step->low;
  estimate.time_high = step->high;
  const StepParts& parts = step->parts;
  const bool waits = parts.exchanges + parts.gradients > parts.computing;
  estimate.bottleneck = waits ? Bottleneck::link : Bottleneck::compute;
  return estimate;
}

}  // namespace rooftile
