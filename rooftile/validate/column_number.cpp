#include "rooftile/validate/column_number.hpp"

#include <array>

#include <fmt/format.h>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

using Read = Result<double> (*)(std::string_view text);  // in base units

template <class Q>
Result<double> read(std::string_view text) {
  return parse<Q>(text).map([](Q quantity) { return quantity.value(); });
}

struct ColumnUnit {
  std::string_view ending;  // of the column's name
  double base_units = 1;    // that one of the column's is
  Read read = nullptr;      // null: the column has no unit
};

constexpr double kKiB = 1024, kHour = 3600;

// The first that fits counts.
constexpr std::array kUnits = {
    ColumnUnit{"per_s"},  // requests, tokens, samples
    ColumnUnit{"_s", 1, read<Seconds>},
    ColumnUnit{"_ms", 1e-3, read<Seconds>},
    ColumnUnit{"_us", 1e-6, read<Seconds>},
    ColumnUnit{"bytes", 1, read<Bytes>},
    ColumnUnit{"bytes_measured", 1, read<Bytes>},
    ColumnUnit{"_kib", kKiB, read<Bytes>},
    ColumnUnit{"_mib", kKiB* kKiB, read<Bytes>},
    ColumnUnit{"_gib", kKiB* kKiB* kKiB, read<Bytes>},
    ColumnUnit{"_mhz", 1e6, read<Hertz>},
    ColumnUnit{"watts", 1, read<Watts>},
    ColumnUnit{"usd_per_hour", 1 / kHour, read<DollarsPerSecond>},
    ColumnUnit{"usd_per_million_samples", 1, read<Dollars>},
    ColumnUnit{"_usd", 1, read<Dollars>},
};

std::optional<double> count(std::string_view text) {
  const auto number = take_number<double>(text);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!number || text.size() != 1) return std::nullopt;
  constexpr std::string_view kPrefixes = "kMGT";
  const std::size_t place = kPrefixes.find(text.front());
  if (place == std::string_view::npos) return std::nullopt;
  double count = *number;
  for (std::size_t i = 0; i <= place; ++i) count *= 1000;
  return count;
}

// As it would have been written in the column: without the last bits that the way through base units changes.
std::optional<double> rounded(double number) { return parse_number(fmt::format("{:.15g}", number)); }

}  // namespace

Result<std::optional<double>> number_of_column(std::string_view column, std::string_view text) {
  if (const auto number = parse_number(text)) return number;
  std::string_view rest = text;
  if (!take_number<double>(rest)) return std::nullopt;
  for (const ColumnUnit& unit : kUnits) {
    if (!column.ends_with(unit.ending)) continue;
    if (unit.read == nullptr) break;
    return rounded(TRY(unit.read(text)) / unit.base_units);
  }
  return count(text);
}

}  // namespace rooftile
