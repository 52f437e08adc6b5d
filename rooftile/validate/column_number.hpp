// Numbers in conditions, in the unit of the column that they are compared with: "10 ms" is 10000 of a column time_us.
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile {

// A number alone is in the column's unit, which the column's name says: time_us, memory_gib, watts, usd_per_hour. Where
// it says none, k, M, G and T behind a number are powers of 1000. Nothing where `text` is no such number; an error
// where a number is followed by what is no unit of the column.
Result<std::optional<double>> number_of_column(std::string_view column, std::string_view text);

}  // namespace rooftile
