// What published tables leave out of a network's row and the scripts behind them say: how NVIDIA's examples and
// MLPerf's implementations run. A cell of the row that says otherwise wins, but for positions that are only padding.
// Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/ops/optimizer.hpp"
#include "rooftile/workload/execution.hpp"

namespace rooftile {

// Of a network that is not a server's.
Execution published_execution(TableRow& row);

// Positions of a sequence that are computed: the row's, or those of its script.
std::optional<std::int64_t> published_positions(TableRow& row, std::string_view model);

std::optional<Optimizer> published_optimizer(TableRow& row, std::string_view model);

// Whether norms of rows stay narrow in mixed precision.
bool published_narrow_norms(TableRow& row, std::string_view model);

// Whether maps have their channels contiguous.
bool published_nhwc(TableRow& row);

}  // namespace rooftile
