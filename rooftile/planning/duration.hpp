// Long times as people write them: "12 h", "90 min", "2.5 d".
#pragma once

#include <string>
#include <string_view>

#include "rooftile/error/error.hpp"
#include "rooftile/units/units.hpp"

namespace rooftile {

// A number above 0 and s, min, h, d or w, with or without a blank between. Errors: anything else.
Result<Seconds> parse_duration(std::string_view text);

// Three significant digits in the largest unit of at least one: "10.2 h", "3.5 d", "45 s".
std::string print_duration(Seconds time);

}  // namespace rooftile
