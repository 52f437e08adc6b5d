#include "rooftile/regression/errors.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "rooftile/base/quantile.hpp"

namespace rooftile::regression {

Errors errors_of(std::span<const double> measured, std::span<const double> predicted) {
  assert(measured.size() == predicted.size());
  Errors errors;
  errors.rows = measured.size();
  if (measured.empty()) return errors;
  const auto rows = static_cast<double>(measured.size());
  double mean = 0, logs = 0, rest = 0, total = 0;
  for (const double value : measured) mean += value / rows;
  std::vector<double> relative;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    const double off = predicted[row] - measured[row];
    relative.push_back(std::abs(off) / measured[row]);
    rest += off * off;
    total += (measured[row] - mean) * (measured[row] - mean);
    if (predicted[row] > 0) {
      logs += std::abs(std::log(predicted[row] / measured[row]));
    } else {
      ++errors.not_positive;
    }
  }
  std::sort(relative.begin(), relative.end());
  for (const double error : relative) errors.mape += error / rows;
  errors.median = sorted_quantile(relative, 0.5);
  errors.p90 = sorted_quantile(relative, 0.9);
  if (errors.not_positive == 0) errors.gmae = std::expm1(logs / rows);
  if (total > 0) errors.r2 = 1 - rest / total;
  return errors;
}

}  // namespace rooftile::regression
