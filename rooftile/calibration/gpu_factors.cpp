#include "rooftile/calibration/gpu_factors.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {

double likeness(const CallPlace& a, const CallPlace& b) {
  // In logarithms of times, and in shares.
  constexpr double kTime = 4, kLimit = 0.67;
  const double time = std::log(a.micros / b.micros) / kTime;
  double square = time * time;
  for (std::size_t i = 0; i < a.limits.size(); ++i) {
    const double limit = (a.limits[i] - b.limits[i]) / kLimit;
    square += limit * limit;
  }
  return std::exp(-std::sqrt(square));
}

double ratio_of_calls(const GpuFactors& factors, KernelFamily family, const CallPlace& place) {
  double sum = 0;
  for (const MeasuredCall& call : factors.calls) {
    if (call.family == family) sum += call.weight * likeness(call.place, place);
  }
  return std::clamp(std::exp(sum), kLeastFactor, kMostFactor);
}

}  // namespace rooftile
