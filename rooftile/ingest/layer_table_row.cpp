#include "rooftile/ingest/layer_table_row.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string shown(std::string_view cell) { return one_line(cell, 40); }

void TableRow::reject(const std::string& column, std::string message, ErrorCode code) {
  if (error_) return;
  const std::string at = fmt::format("{}:{}", where_, row_.line);
  error_ = Error{code, std::move(message), column.empty() ? at : fmt::format("{}, column {}", at, column)};
}

void TableRow::reject_missing(const std::string& column) {
  if (error_ && missing_.empty()) return;
  missing_.push_back(column);
  error_.reset();  // of fewer columns
  if (missing_.size() > 1) {
    return reject("", fmt::format("the table has no columns {}, which this row needs", fmt::join(missing_, ", ")));
  }
  std::vector<std::string> names;
  for (const auto& item : columns_) names.push_back(item.first);
  std::sort(names.begin(), names.end());
  reject("", fmt::format("the table has no column '{}', which this row needs{}", column, did_you_mean(column, names)));
}

void TableRow::reject_name(const std::string& column, const std::string& cell, const std::vector<std::string>& known) {
  reject(column, fmt::format("unknown {} '{}'{}", column, shown(cell), one_of(cell, known)), ErrorCode::not_found);
}

std::string_view TableRow::text(const std::string& column) const {
  if (!read_as_.second.empty() && column == read_as_.first) return read_as_.second;
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::string_view() : trimmed(row_.cells[found->second]);
}

std::int64_t TableRow::required(const std::string& column, std::int64_t least) {
  if (columns_.count(column) == 0) {
    reject_missing(column);
    return 1;
  }
  if (text(column).empty()) {
    reject(column, "the cell is empty");
    return 1;
  }
  return optional(column, least, least);
}

std::int64_t TableRow::optional(const std::string& column, std::int64_t least, std::int64_t fallback) {
  const std::string_view cell = text(column);
  if (cell.empty()) return fallback;
  if (cell.find_first_not_of("0123456789", cell.front() == '-' ? 1 : 0) != std::string_view::npos || cell == "-") {
    reject(column, fmt::format("'{}' is not a whole number", shown(cell)));
    return fallback;
  }
  const auto number = parse_number<std::int64_t>(cell);
  if (!number || *number < least || *number > kMaxDimension) {
    reject(column, fmt::format("{} is not between {} and {}", shown(cell), least, kMaxDimension));
    return fallback;
  }
  return *number;
}

std::optional<double> TableRow::amount(const std::string& column, bool positive) {
  const std::string_view cell = text(column);
  if (cell.empty()) return std::nullopt;
  const auto number = parse_number(cell);
  constexpr double kMost = 1e30;  // bytes, launches, microseconds: far above any of them, and of their sums
  if (!number || *number < 0 || *number > kMost || (positive && *number == 0)) {
    const bool large = number && std::isfinite(*number) && *number > kMost;
    reject(column,
           large ? fmt::format("'{}' is larger than {:g}", shown(cell), kMost)
                 : fmt::format("'{}' is not a {}", shown(cell), positive ? "positive number" : "number from zero"));
    return std::nullopt;
  }
  return number;
}

bool TableRow::transposed(const std::string& column) {
  const std::string_view cell = text(column);
  const bool yes = cell == "T" || cell == "t";
  if (!yes && cell != "N" && cell != "n" && !cell.empty()) {
    reject(column, fmt::format("'{}' is neither N nor T", shown(cell)));
  }
  return yes;
}

bool TableRow::either(const std::string& column, std::string_view yes, std::string_view no, bool otherwise) {
  const std::string cell = lower_case(text(column));
  if (cell.empty()) return otherwise;
  if (cell != yes && cell != no) reject(column, fmt::format("'{}' is neither {} nor {}", shown(cell), yes, no));
  return cell == yes;
}

}  // namespace rooftile
