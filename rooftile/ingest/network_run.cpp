#include "rooftile/ingest/network_run.hpp"

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/folded_batch_norm.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {

Result<std::optional<Transformer>> transformer_of(const NetworkRun& run) {
  if (run.transformer && run.model == kTransformerModel) return run.transformer;
  auto known = TRY(find_transformer(run.model));
  return known ? known : run.transformer;
}

Result<Workload> load_network(const NetworkRun& run, std::optional<std::int64_t> context,
                              std::optional<std::int64_t> seq_len) {
  ModelOptions options = {.batch_size = run.batch,
                          .image_size = run.image_size,
                          .batch_norms = run.folded_norms ? BatchNorms::folded : BatchNorms::as_they_are,
                          .context = context};
  if (seq_len || !context) options.seq_len = seq_len ? seq_len : run.seq_len;
  if (!run.transformer || run.model != kTransformerModel) {
    auto workload = load_model(run.model, options);
    if (workload || !run.transformer || workload.error().code != ErrorCode::not_found) return workload;
  }
  auto workload = TRY(build_transformer(*run.transformer, options));
  if (run.folded_norms) workload = TRY(fold_batch_norms(workload));
  TRY(validate(workload));
  return workload;
}

}  // namespace rooftile
