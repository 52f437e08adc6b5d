// The network of a row: its geometry where it is a transformer, and its workload.
#pragma once

#include <cstdint>
#include <optional>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// A transformer's geometry, by the name of its model or as the row gives it; nothing where it is another network.
// Errors: those of find_transformer().
Result<std::optional<Transformer>> transformer_of(const NetworkRun& run);

// By the name of its model, or by the geometry that the row gives: always where it says "transformer", else where
// nothing has that name. `seq_len` positions of a text at once where given, else the run's, or with `context`, after so
// many in the cache, one. Passed validate(). Errors: those of load_model().
Result<Workload> load_network(const NetworkRun& run, std::optional<std::int64_t> context = {},
                              std::optional<std::int64_t> seq_len = {});

}  // namespace rooftile
