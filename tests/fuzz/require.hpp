// What a fuzzer demands of what it read.
#pragma once

#include <cmath>
#include <cstdlib>

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline bool is_positive(double value) { return value > 0 && std::isfinite(value); }
