// Counts that a plan keeps as doubles, as integers. Private.
#pragma once

#include <array>
#include <cstdint>

namespace rooftile {

inline std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

inline std::array<std::int64_t, 3> whole(const std::array<double, 3>& values) {
  return {whole(values[0]), whole(values[1]), whole(values[2])};
}

}  // namespace rooftile
