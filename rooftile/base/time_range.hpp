// What can be the time of a kernel, a layer or a network that a file tells: anything else is a slip or a bad joke, and
// would turn up in reports as inf or as quintillions of years.
#pragma once

#include <string_view>

#include "rooftile/base/units.hpp"

namespace rooftile {

constexpr Seconds kShortestTime{1e-15}, kLongestTime{365.25 * 86400};
constexpr std::string_view kTimeRange = "between a femtosecond and a year";

// False for nan.
constexpr bool is_time(Seconds time) { return time >= kShortestTime && time <= kLongestTime; }

}  // namespace rooftile
