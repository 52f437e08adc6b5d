#include "rooftile/planning/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {

bool better(const ScheduleCost& a, const ScheduleCost& b) {
  constexpr double kRounding = 1e-12;  // of tardiness that may be the small difference of large times
  const double least = kRounding * std::max({b.tardiness, b.makespan.value(), a.makespan.value()});
  if (std::abs(a.tardiness - b.tardiness) > least) return a.tardiness < b.tardiness;
  return a.makespan < b.makespan - Seconds(least);
}

Seconds tardiness_of(const Job& job, Seconds end) {
  return job.deadline ? std::max(Seconds(0), end - *job.deadline) : Seconds(0);
}

ScheduleCost cost_of(std::span<const Job> jobs, std::span<const Placement> placements) {
  ScheduleCost cost;
  for (const Placement& placement : placements) {
    const Job& job = jobs[placement.job];
    cost.tardiness += job.weight * tardiness_of(job, placement.end()).value();
    cost.makespan = std::max(cost.makespan, placement.end());
  }
  return cost;
}

}  // namespace rooftile
