// Measurements in the store: rows of layer tables, cell by cell as they were, each with what it is about and where it
// came from.
//
// A row is known by its content, the cells that are not empty by the names of their columns, whatever the order of the
// columns; cells of columns named `source` and `date` do not count. A row that a file holds several times is kept as
// often, so that a table comes back as it went in; the same rows from a second file, or the same file again, add
// nothing, and the first origin stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/store/store.hpp"
#include "rooftile/validate/filter.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile::store {

// What a row measures: a GPU by its catalogue id where it has one, the others by their own names ("fp32", "fwd").
struct Subject {
  std::string op, gpu, precision, pass, software;

  auto operator<=>(const Subject&) const = default;
};

struct Origin {
  std::string file;    // as the user called it
  std::string format;  // "layer table", "nvprof CSV, GPU trace", …
  std::string source;  // who measured, in the user's words; may be empty
  std::string date;    // of the measurement; may be empty

  auto operator<=>(const Origin&) const = default;
};

// Adds rows; all of them or none. While it lives, other programs wait to write.
class MeasurementWriter {
 public:
  // The store must be open to write, and outlive the writer.
  static Result<MeasurementWriter> begin(Store& store);

  MeasurementWriter(MeasurementWriter&&) noexcept;
  MeasurementWriter& operator=(MeasurementWriter&&) noexcept;
  ~MeasurementWriter();

  // The rows that follow are of a file with these columns.
  void begin_file(Origin origin, std::vector<std::string> columns);

  // Whether the row was not there yet; as many cells as there are columns. `line` is its place in the file.
  Result<bool> add(const Subject& subject, std::size_t line, std::span<const std::string> cells);

  // On the disk when it returns. Without it, nothing was added.
  Result<void> commit();

 private:
  struct State;
  explicit MeasurementWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Which rows are meant; an empty text means any. `gpu` is a catalogue id or as the row calls it.
struct MeasurementQuery {
  std::string gpu = {}, op = {}, precision = {}, source = {};
  // Over the columns of the rows and gpu, op, precision, pass (by their own names), source, date and table (the file).
  std::optional<Filter> where = {};
  // Only rows of these subjects; none: of all. For callers that see a row's cells otherwise and filter for themselves.
  std::function<bool(const Subject&)> about = {};
};

struct StoredMeasurement {
  std::int64_t id = 0;
  const Subject& subject;
  const Origin& origin;
  const std::vector<std::string>& columns;
  std::size_t line = 0;
  std::vector<std::string> cells;
};

// Every row that is meant, in the order in which they were added. Errors: a column of the filter that no row has, a row
// that is not as it was added (the store is damaged), the first of `visit`.
Result<void> for_each_measurement(Store& store, const MeasurementQuery& query,
                                  const std::function<Result<void>(StoredMeasurement)>& visit);

// The same as the tables that they were imported from, one for each file, to be validated or fitted on like those.
// Errors: no row is meant; a row that cannot be read, unless the options skip it.
Result<std::vector<MeasuredTable>> measured_tables(Store& store, const MeasurementQuery& query,
                                                   LayerTableOptions options = {});

struct MeasurementCount {
  Subject subject;
  Origin origin;
  std::int64_t rows = 0;
};

// Rows that are meant by subject and origin, sorted.
Result<std::vector<MeasurementCount>> count_measurements(Store& store, const MeasurementQuery& query = {});

// How many rows were removed.
Result<std::int64_t> remove_measurements(Store& store, const MeasurementQuery& query);

}  // namespace rooftile::store
