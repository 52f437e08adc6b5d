// Small powers and their roots, for norms.
#pragma once

#include <cmath>

namespace rooftile {

inline double square(double x) { return x * x; }
inline double fourth(double x) { return square(square(x)); }
inline double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }

// From 0 to 1, a half at x = 1; `sharply` within a factor of two or so.
inline double gradually(double x) { return x / (1 + x); }
inline double sharply(double x) { return gradually(fourth(x)); }

}  // namespace rooftile
