#include "rooftile/profile/csv_table.hpp"

#include <cmath>

#include "rooftile/profile/number_format.hpp"

namespace rooftile::profile {

std::string_view CsvColumns::text(const CsvLine& row, std::string_view name) const {
  const auto at = column(header_, name);
  return at && *at < row.cells.size() ? std::string_view(row.cells[*at]) : std::string_view();
}

std::optional<double> CsvColumns::number(const CsvLine& row, std::string_view name) const {
  return parse_number(text(row, name), DecimalSign::point);
}

std::optional<std::array<std::int64_t, 3>> CsvColumns::extent(const CsvLine& row,
                                                              const std::array<std::string_view, 3>& names) const {
  std::array<std::int64_t, 3> extent{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = number(row, names[i]);
    const auto whole = value ? positive_integer(*value) : std::nullopt;
    if (!whole) return std::nullopt;
    extent[i] = *whole;
  }
  return extent;
}

std::optional<std::int64_t> positive_integer(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(value >= 1) || value > kExact || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace rooftile::profile
