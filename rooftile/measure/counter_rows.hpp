// Counters in the layer tables of a folder: which rows have none yet, and writing them in.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/counters.hpp"
#include "rooftile/measure/layer_case.hpp"
#include "rooftile/measure/layer_columns.hpp"

namespace rooftile::measure {

// A row of a table that has no counters.
struct CounterCase {
  LayerCase layer;  // by the algorithm that ran
  std::size_t table = 0;
  std::size_t row = 0;  // of the table, the header not counted
};

// In the order of the tables and their rows, so that the profiled process and the one that joins agree on the indices.
Result<std::vector<CounterCase>> rows_without_counters(const std::string& folder);

// Writes what was counted into the rows and replaces the tables. `joined` has an entry for each of `cases`; how many
// rows got counters.
Result<std::size_t> write_counters(const std::string& folder, const std::vector<CounterCase>& cases,
                                   const JoinedCounters& joined);

}  // namespace rooftile::measure
