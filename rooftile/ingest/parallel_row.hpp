// How a row that is a network on several GPUs spreads it.
#pragma once

#include <optional>

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile {

// Of columns tp, pp, dp, cp, ep, etp, vp, fsdp, micro_batch, grad_accum, recompute, dispatcher: dp and the micro-batch
// follow from the others where they are empty, etp counts where the network has experts. Nothing where the row has one
// GPU and one micro-batch.
std::optional<Parallelism> read_parallelism(TableRow& row, const NetworkRun& run);

}  // namespace rooftile
