// A header and a row beneath it, for readers of CSV files whose columns are found by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/profile/csv_lines.hpp"

namespace rooftile::profile {

class CsvColumns {
 public:
  CsvColumns() = default;
  explicit CsvColumns(std::vector<std::string> header) : header_(std::move(header)) {}

  const std::vector<std::string>& header() const { return header_; }
  bool has(std::string_view name) const { return column(header_, name).has_value(); }

  // Empty where there is no such column, or the row ends before it.
  std::string_view text(const CsvLine& row, std::string_view name) const;
  // Nothing where it is empty or no number.
  std::optional<double> number(const CsvLine& row, std::string_view name) const;
  // Three columns as whole numbers above zero.
  std::optional<std::array<std::int64_t, 3>> extent(const CsvLine& row,
                                                    const std::array<std::string_view, 3>& names) const;

 private:
  std::vector<std::string> header_;
};

// A whole number above zero that is exact in a double.
std::optional<std::int64_t> positive_integer(double value);

}  // namespace rooftile::profile
