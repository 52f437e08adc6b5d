#include "rooftile/ingest/network_run.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {

Result<Workload> load_network(const NetworkRun& run) {
  const ModelOptions options = {.batch_size = run.batch, .seq_len = run.seq_len, .image_size = run.image_size};
  if (!run.transformer || run.model != kTransformerModel) {
    auto workload = load_model(run.model, options);
    if (workload || !run.transformer || workload.error().code != ErrorCode::not_found) return workload;
  }
  auto workload = TRY(build_transformer(*run.transformer, options));
  TRY(validate(workload));
  return workload;
}

}  // namespace rooftile
