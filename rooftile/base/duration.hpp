// Long times as people write them: "12 h", "90 min", "2.5 d".
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

// A number and s, min, h, d or w, with or without a blank between: above 0, or from 0 on where `zero` may be. Errors:
// anything else.
Result<Seconds> parse_duration(std::string_view text, bool zero = false);

// Three significant digits in the largest unit of at least one, up to years: "10.2 h", "3.5 d", "45 s", "0".
std::string print_duration(Seconds time);

}  // namespace rooftile
