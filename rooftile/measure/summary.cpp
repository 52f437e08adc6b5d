#include "rooftile/measure/summary.hpp"

#include <algorithm>

#include "rooftile/base/quantile.hpp"

namespace rooftile::measure {

double Summary::spread() const { return median == 0 ? 0 : (high - low) / median; }

Summary summarise(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  return {sorted_quantile(values, 0.5), sorted_quantile(values, 0.1), sorted_quantile(values, 0.9), values.size()};
}

}  // namespace rooftile::measure
