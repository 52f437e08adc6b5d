#include "rooftile/planning/schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

std::string fault_of(std::span<const Job> jobs, std::span<const ClusterMachine> machines, const Schedule& schedule) {
  std::vector<int> times(jobs.size());
  for (const Placement& a : schedule.placements) {
    if (a.job >= jobs.size()) return "a job that there is not";
    const Job& job = jobs[a.job];
    ++times[a.job];
    const auto same = [&](const JobMode& mode) {
      return mode.machine == a.mode.machine && mode.gpus == a.mode.gpus && mode.time == a.mode.time;
    };
    if (std::none_of(job.modes.begin(), job.modes.end(), same)) return job.name + " runs in none of its modes";
    if (a.gpus.size() != static_cast<std::size_t>(a.mode.gpus)) return job.name + " has not as many GPUs as it needs";
    if (a.start < Seconds(0)) return job.name + " starts before the schedule";
    for (const int gpu : a.gpus) {
      if (gpu < 0 || gpu >= machines[a.mode.machine].gpus) return job.name + " has a GPU that there is not";
    }
    for (const Placement& b : schedule.placements) {
      if (&a == &b || a.mode.machine != b.mode.machine || a.end() <= b.start || b.end() <= a.start) continue;
      const auto shared = std::find_first_of(a.gpus.begin(), a.gpus.end(), b.gpus.begin(), b.gpus.end());
      if (shared != a.gpus.end()) return fmt::format("{} and {} share a GPU", job.name, jobs[b.job].name);
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (times[i] != 1) return fmt::format("{} is there {} times", jobs[i].name, times[i]);
  }
  return "";
}

}  // namespace rooftile
