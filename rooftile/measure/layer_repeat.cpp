#include "rooftile/measure/layer_repeat.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile::measure {

int rotation_sets(double set_bytes, double l2_bytes, double budget_bytes) {
  const double wanted = std::ceil(3 * l2_bytes / std::max(set_bytes, 1.0));
  const double fit = std::floor(budget_bytes / std::max(set_bytes, 1.0));
  return static_cast<int>(std::clamp(std::min(wanted, fit), 1.0, static_cast<double>(kMaxSets)));
}

int runs_per_repeat(double run_seconds, double least_seconds, int sets) {
  const double wanted = std::ceil(least_seconds / std::max(run_seconds, 1e-9));
  const int runs = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMaxRuns)));
  const int rounded = (runs + sets - 1) / sets * sets;
  if (rounded * run_seconds <= kMostSeconds) {
    return rounded;
  }
  return std::max(runs, static_cast<int>(kMostSeconds / run_seconds));
}

}  // namespace rooftile::measure
