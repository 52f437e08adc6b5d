#include "rooftile/validate/estimate_network.hpp"

#include "rooftile/ingest/model.hpp"

namespace rooftile {

Result<LayerEstimate> estimate_network(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  if (run.gpus > 1)
    return fail(ErrorCode::unsupported, "networks on several GPUs are not predicted yet", "column gpus");
  const auto workload = load_model(run.model, {.batch_size = run.batch, .seq_len = run.seq_len});
  if (!workload) {
    // A table may name networks that nobody described here.
    const ErrorCode code =
        workload.error().code == ErrorCode::not_found ? ErrorCode::unsupported : workload.error().code;
    return fail(code, workload.error().text(), "column model");
  }
  return estimate_network(*workload, phase, gpu, options);
}

Result<LayerEstimate> estimate_network(const Workload& workload, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options) {
  const auto prediction = predict(workload, gpu, options, phase);
  if (!prediction) return fail(prediction.error().code, prediction.error().text(), "column precision");
  LayerEstimate sum = sum_of(prediction->layers);
  sum.op = "network";
  sum.function.clear();
  sum.method = options.method;
  return sum;
}

}  // namespace rooftile
