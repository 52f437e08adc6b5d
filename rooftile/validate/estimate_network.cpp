#include "rooftile/validate/estimate_network.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/network_run.hpp"

namespace rooftile {
namespace {

// Of memory that is not pinned: what NVIDIA's bandwidthTest reaches over PCIe 3 x16.
constexpr BytesPerSecond kPageableCopy(6e9);

// The inputs come from the host first.
void add_copy(LayerEstimate& estimate, const Workload& workload) {
  Bytes bytes;
  for (const TensorId id : workload.inputs) bytes += size_of(workload.tensors[id]);
  const Seconds copy = bytes / kPageableCopy;
  estimate.time += copy;
  if (estimate.time_low) *estimate.time_low += copy;
  if (estimate.time_high) *estimate.time_high += copy;
}

}  // namespace

Result<LayerEstimate> estimate_network(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  if (run.gpus > 1)
    return fail(ErrorCode::unsupported, "networks on several GPUs are not predicted yet", "column gpus");
  const auto workload = load_network(run);
  if (!workload) {
    // A table may name networks that nobody described here.
    const ErrorCode code =
        workload.error().code == ErrorCode::not_found ? ErrorCode::unsupported : workload.error().code;
    return fail(code, workload.error().text(), "column model");
  }
  PredictOptions own = options;
  own.execution = run.execution;
  own.optimizer = run.optimizer;
  auto estimate = TRY(estimate_network(*workload, phase, gpu, own));
  if (run.host_copy) add_copy(estimate, *workload);
  return estimate;
}

Result<LayerEstimate> estimate_network(const Workload& workload, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  const auto prediction = predict(workload, gpu, options, phase);
  if (!prediction) return fail(prediction.error().code, prediction.error().text(), "column precision");
  LayerEstimate sum = sum_of(prediction->layers);
  sum.op = "network";
  sum.function.clear();
  sum.method = options.method;
  sum.time = prediction->time;
  if (const auto interval = interval_of(*prediction)) {
    sum.time_low = interval->low;
    sum.time_high = interval->high;
  }
  return sum;
}

}  // namespace rooftile
