// Rounding of numbers that an integer holds, in half the instructions of std::ceil() and std::floor().
#pragma once

#include <cstdint>

namespace rooftile {

inline double rounded_up(double x) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole < x ? whole + 1 : whole;
}

// Of what is not negative.
inline double rounded_down(double x) { return static_cast<double>(static_cast<std::int64_t>(x)); }

}  // namespace rooftile
