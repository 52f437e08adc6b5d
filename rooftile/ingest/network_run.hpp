// The workload of a row that is a whole network.
#pragma once

#include <cstdint>
#include <optional>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// By the name of its model, or by the geometry that the row gives: always where it says "transformer", else where
// nothing has that name. `seq_len` positions of a text at once where given, else the run's, or with `context`, after so
// many in the cache, one. Passed validate(). Errors: those of load_model().
Result<Workload> load_network(const NetworkRun& run, std::optional<std::int64_t> context = {},
                              std::optional<std::int64_t> seq_len = {});

}  // namespace rooftile
