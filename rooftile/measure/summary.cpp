#include "rooftile/measure/summary.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile::measure {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

double Summary::spread() const { return median == 0 ? 0 : (high - low) / median; }

Summary summarise(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  return {percentile(values, 0.5), percentile(values, 0.1), percentile(values, 0.9), values.size()};
}

}  // namespace rooftile::measure
