#include "rooftile/planning/schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace rooftile {

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

bool ScheduleBuilder::fits(const JobMode& mode, Seconds start) const {
  const std::vector<Busy>& busy = busy_[mode.machine];
  const int free = machines_[mode.machine].gpus - mode.gpus;
  const Seconds end = start + mode.time;
  // The number in use changes only where a job starts.
  const auto used_at = [&](Seconds time) {
    int used = 0;
    for (const Busy& other : busy) used += other.start <= time && time < other.end ? other.gpus : 0;
    return used;
  };
  if (used_at(start) > free) return false;
  return std::all_of(busy.begin(), busy.end(), [&](const Busy& other) {
    return other.start <= start || other.start >= end || used_at(other.start) <= free;
  });
}

Seconds ScheduleBuilder::earliest_start(const JobMode& mode) const {
  if (fits(mode, Seconds(0))) return Seconds(0);
  // It starts where another ends, or it could start earlier.
  std::optional<Seconds> earliest;
  for (const Busy& other : busy_[mode.machine]) {
    if ((!earliest || other.end < *earliest) && fits(mode, other.end)) earliest = other.end;
  }
  return *earliest;  // after the last end everything is free
}

void ScheduleBuilder::place(std::size_t job, const JobMode& mode, Seconds start) {
  busy_[mode.machine].push_back({start, start + mode.time, mode.gpus});
  placements_.push_back({.job = job, .mode = mode, .start = start, .gpus = {}});
}

void ScheduleBuilder::take_back() {
  busy_[placements_.back().mode.machine].pop_back();
  placements_.pop_back();
}

Schedule ScheduleBuilder::schedule(std::span<const Job> jobs) const {
  Schedule schedule;
  schedule.placements = placements_;
  std::sort(schedule.placements.begin(), schedule.placements.end(), [](const Placement& a, const Placement& b) {
    return a.start < b.start || (a.start == b.start && a.job < b.job);
  });
  // By start, the GPUs that are free then are enough.
  std::vector<std::vector<Seconds>> free_from(machines_.size());
  for (std::size_t m = 0; m < machines_.size(); ++m) free_from[m].resize(static_cast<std::size_t>(machines_[m].gpus));
  for (Placement& placement : schedule.placements) {
    std::vector<Seconds>& gpus = free_from[placement.mode.machine];
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      if (placement.gpus.size() == static_cast<std::size_t>(placement.mode.gpus)) break;
      if (gpus[gpu] > placement.start) continue;
      gpus[gpu] = placement.end();
      placement.gpus.push_back(static_cast<int>(gpu));
    }
  }
  schedule.cost = cost_of(jobs, schedule.placements);
  return schedule;
}

}  // namespace rooftile
