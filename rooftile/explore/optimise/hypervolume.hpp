// How good a front is, for tests and benchmarks.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "rooftile/explore/optimise/design_table.hpp"

namespace rooftile {

// The part of the box between `ideal` and `worst` (two objectives) that the trials dominate, as a share of it.
inline double hypervolume(std::vector<Trial> front, const std::array<double, 2>& ideal,
                          const std::array<double, 2>& worst) {
  std::sort(front.begin(), front.end(), [](const Trial& a, const Trial& b) { return a.objectives < b.objectives; });
  double area = 0, reached = worst[1];
  for (const Trial& trial : front) {
    if (trial.objectives[0] >= worst[0] || trial.objectives[1] >= reached) continue;
    area += (worst[0] - trial.objectives[0]) * (reached - trial.objectives[1]);
    reached = trial.objectives[1];
  }
  return area / ((worst[0] - ideal[0]) * (worst[1] - ideal[1]));
}

}  // namespace rooftile
