// What is wrong with a schedule, for tests.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/planning/schedule.hpp"

namespace rooftile {

// Empty if it has every job once, in one of its modes, on GPUs that no other job has.
inline std::string fault_of(std::span<const Job> jobs, std::span<const ClusterMachine> machines,
                            const Schedule& schedule) {
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
