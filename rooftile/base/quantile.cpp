#include "rooftile/base/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rooftile {

double sorted_quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  return std::lerp(sorted[below], sorted[std::min(below + 1, sorted.size() - 1)], place - std::floor(place));
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return sorted_quantile(values, share);
}

}  // namespace rooftile
