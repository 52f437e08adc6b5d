#include "rooftile/store/export.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile::store {
namespace {

// The columns of several tables as one header.
class Columns {
 public:
  using Places = std::vector<std::size_t>;

  // Where the cells of a table with these columns go.
  const Places& add(const std::vector<std::string>& columns) {
    const auto [entry, is_new] = tables_.try_emplace(columns);
    if (!is_new) return entry->second;
    std::map<std::string_view, std::size_t> seen;  // columns without a name have several places
    for (const std::string& column : columns) {
      const std::size_t copy = seen[trimmed(column)]++;
      const auto [place, first] = places_.emplace(std::pair(std::string(trimmed(column)), copy), header_.size());
      if (first) header_.push_back(column);
      entry->second.push_back(place->second);
    }
    return entry->second;
  }

  // Rows of several tables must say what they are.
  void say_op() {
    if (tables_.size() == 1) return;
    const auto [op, is_new] = places_.emplace(std::pair("op", std::size_t{0}), header_.size());
    if (is_new) header_.emplace_back("op");
    op_ = op->second;
  }

  // Where rows came from, in columns of a table that have these names, or in new ones after all others.
  void say_origin() {
    for (const char* name : {"source", "date"}) {
      const auto [place, is_new] = places_.emplace(std::pair(name, std::size_t{0}), header_.size());
      if (is_new) header_.emplace_back(name);
      origin_.push_back(place->second);
    }
  }

  bool knows(const std::vector<std::string>& columns) const { return tables_.count(columns) > 0; }
  const std::vector<std::string>& header() const { return header_; }

  std::vector<std::string> row(const StoredMeasurement& measurement) const {
    const Places& places = tables_.at(measurement.columns);
    std::vector<std::string> cells(header_.size());
    for (std::size_t i = 0; i < places.size(); ++i) cells[places[i]] = measurement.cells[i];
    const bool says_op = !op_ || std::find(places.begin(), places.end(), *op_) != places.end();
    if (!says_op) cells[*op_] = measurement.subject.op;
    if (origin_.empty()) return cells;
    // What the table itself says stays where the store knows nothing.
    if (!measurement.origin.source.empty()) cells[origin_.front()] = measurement.origin.source;
    if (!measurement.origin.date.empty()) cells[origin_.back()] = measurement.origin.date;
    return cells;
  }

 private:
  std::map<std::vector<std::string>, Places> tables_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places_;  // by name and which of that name
  std::vector<std::string> header_;
  std::optional<std::size_t> op_;
  std::vector<std::size_t> origin_;  // of source and date, where they are asked for
};

}  // namespace

Result<std::int64_t> export_measurements(Store& store, const MeasurementQuery& query, const ExportOptions& options,
                                         const std::function<Result<void>(std::string_view)>& write) {
  Columns columns;
  std::int64_t rows = 0;
  const auto collect = [&](const StoredMeasurement& row) -> Result<void> {
    columns.add(row.columns);
    ++rows;
    return {};
  };
  TRY(for_each_measurement(store, query, collect));
  if (rows == 0) {
    return fail(ErrorCode::not_found, "no measurement in the store matches; see 'rooftile store list'", store.path());
  }
  columns.say_op();
  if (options.provenance) columns.say_origin();
  TRY(write(write_csv_row(columns.header())));
  rows = 0;
  std::string block;
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  const auto add = [&](const StoredMeasurement& row) -> Result<void> {
    // Another program added a table with columns of its own meanwhile: its rows are left for the next time.
    if (!columns.knows(row.columns)) return {};
    block += write_csv_row(columns.row(row));
    ++rows;
    if (block.size() < kBlock) return {};
    return write(std::exchange(block, {}));
  };
  TRY(for_each_measurement(store, query, add));
  TRY(write(block));
  return rows;
}

}  // namespace rooftile::store
