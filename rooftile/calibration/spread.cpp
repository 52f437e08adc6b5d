#include "rooftile/calibration/spread.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

// exp of the length of two logarithms, no more than a calibration can say.
double joined(double factor, double other) {
  return std::exp(std::min(kWidestSpread, std::hypot(std::log(factor), std::log(other))));
}

}  // namespace

Spread widened(const Spread& spread, double factor) {
  return {.low = 1 / joined(std::min(1.0, spread.low), factor),
          .high = joined(std::max(1.0, spread.high), factor),
          .common = joined(spread.common, factor)};
}

}  // namespace rooftile
