// One row of a layer table: cells by column name, and the first thing that is wrong with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/error.hpp"
#include "rooftile/base/lower_case.hpp"

namespace rooftile {

using ColumnIndex = std::unordered_map<std::string, std::size_t>;

// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

// A cell as a message shows it.
std::string shown(std::string_view cell);

// Reads the cells of one row by column name. The first error is kept, later reads return anything valid; columns that
// are missing are one error.
class TableRow {
 public:
  TableRow(const ColumnIndex& columns, const CsvRow& row, std::string_view where)
      : columns_(columns), row_(row), where_(where) {}

  const std::optional<Error>& error() const { return error_; }

  // `column` may be empty: the row as a whole.
  void reject(const std::string& column, std::string message, ErrorCode code = ErrorCode::bad_input);

  // Empty if the table has no such column.
  std::string_view text(const std::string& column) const;

  // From now on what `column` says, in place of its cell.
  void read_as(std::string column, std::string text) { read_as_ = {std::move(column), std::move(text)}; }

  // A whole number from `least` to kMaxDimension.
  std::int64_t required(const std::string& column, std::int64_t least);
  std::int64_t optional(const std::string& column, std::int64_t least, std::int64_t fallback);

  // A finite number from zero, or above it if `positive`; nothing for an empty cell.
  std::optional<double> amount(const std::string& column, bool positive);

  // What the cell names, in any case of letters; nothing for an empty one. `parse` knows the names, of which `known`
  // are those that an error lists.
  template <class Parse>
  auto named(const std::string& column, const Parse& parse, const std::vector<std::string>& known) {
    const std::string cell = lower_case(text(column));
    const auto found = parse(cell);
    if (!found && !cell.empty()) reject_name(column, cell, known);
    return found;
  }

  // N: as stored, T: transposed.
  bool transposed(const std::string& column);

  // `otherwise` for an empty cell; in any case of letters.
  bool either(const std::string& column, std::string_view yes, std::string_view no, bool otherwise);

 private:
  void reject_missing(const std::string& column);
  void reject_name(const std::string& column, const std::string& cell, const std::vector<std::string>& known);

  const ColumnIndex& columns_;
  const CsvRow& row_;
  std::string_view where_;
  std::pair<std::string, std::string> read_as_;
  std::vector<std::string> missing_;  // columns that the error is of
  std::optional<Error> error_;
};

}  // namespace rooftile
