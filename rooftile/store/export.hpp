// Measurements out of the store, as one layer table.
//
//     store::Store kept = store::Store::in_memory().value();
//     const auto rows = store::export_measurements(kept, {}, {}, [](std::string_view) { return Result<void>(); });
//     assert(!rows);  // nothing is in it
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::store {

struct ExportOptions {
  bool provenance = false;  // the columns `source` and `date`, after the others where no table has them
};

// Hands the rows that are meant to `write` as CSV, piece by piece, in the order in which they were added; how many
// there were. Cells are as they were imported. Rows of one table come back with its own header; rows of several with
// the columns of all, and the op in words. Errors: no row is meant, those of the store, the first of `write`.
Result<std::int64_t> export_measurements(Store& store, const MeasurementQuery& query, const ExportOptions& options,
                                         const std::function<Result<void>(std::string_view)>& write);

}  // namespace rooftile::store
