// Files into the store: layer tables, profiles, and what PyTorch's benchmarks write, told apart by what is in them
// (docs/store.md).
//
//     store::Store kept = store::Store::in_memory().value();
//     auto writer = store::MeasurementWriter::begin(kept).value();
//     assert(!store::import_file(writer, "missing.csv", {}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/store/measurements.hpp"

namespace rooftile::store {

struct ImportOptions {
  // Of rows whose cell is empty or missing: catalogue id, precision, framework.
  std::string gpu = {}, precision = {}, software = {};
  std::string source = {}, date = {};  // of the file; the date as the file itself says it counts before this one
  bool skip_bad_rows = false;          // list rows that are wrong instead of failing
  // Called with the share of the file that is done, from 0 to 1; false ends the import with an error.
  std::function<bool(double share)> progress = {};
};

struct ImportedFile {
  std::string file;
  std::string format;  // "layer table", "Nsight Compute CSV, page raw", …
  std::int64_t rows = 0, added = 0;
  std::int64_t unmeasured = 0;  // rows left out because nothing was measured: no time, throughput or counter
  std::int64_t bad_row_count = 0;
  std::vector<Error> bad_rows;     // the first kMostBadRows of them
  std::vector<std::string> notes;  // what was left out and why, one line each

  static constexpr std::size_t kMostBadRows = 1000;
};

// Adds the rows of a file ("-": standard input); commit() is the caller's. A large table is read row by row. Errors:
// the file cannot be read, is of no known format, a bad row, interrupted; the writer is then not to be committed.
Result<ImportedFile> import_file(MeasurementWriter& writer, const std::string& path, const ImportOptions& options);

}  // namespace rooftile::store
