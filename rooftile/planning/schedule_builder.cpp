#include "rooftile/planning/schedule_builder.hpp"

#include <algorithm>

namespace rooftile {

std::size_t GpusInUse::step_of(Seconds time) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](Seconds value, const Step& step) { return value < step.from; });
  return static_cast<std::size_t>(after - steps_.begin()) - 1;
}

Seconds GpusInUse::earliest(int most, Seconds length, Seconds from) const {
  Seconds start = from;
  for (std::size_t i = step_of(from); i + 1 < steps_.size(); ++i) {
    if (steps_[i].used > most) {
      start = steps_[i + 1].from;
    } else if (steps_[i + 1].from >= start + length) {
      break;
    }
  }
  return start;
}

std::size_t GpusInUse::step_from(Seconds time) {
  const std::size_t step = step_of(time);
  if (steps_[step].from == time) return step;
  const Step later{time, steps_[step].used};
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, later);
  return step + 1;
}

void GpusInUse::join(std::size_t step) {
  if (step > 0 && steps_[step].used == steps_[step - 1].used) {
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(step));
  }
}

void GpusInUse::add(Seconds from, Seconds to, int gpus) {
  if (from >= to) return;
  const std::size_t first = step_from(from), end = step_from(to);
  for (std::size_t i = first; i < end; ++i) steps_[i].used += gpus;
  join(end);
  join(first);
}

Seconds ScheduleBuilder::earliest_start(const JobMode& mode, Seconds from) const {
  return in_use_[mode.machine].earliest(machines_[mode.machine].gpus - mode.gpus, mode.time, from);
}

void ScheduleBuilder::place(std::size_t job, const JobMode& mode, Seconds start) {
  placements_.push_back({.job = job, .mode = mode, .start = start, .gpus = {}});
  in_use_[mode.machine].add(start, placements_.back().end(), mode.gpus);
}

void ScheduleBuilder::take_back() {
  const Placement& last = placements_.back();
  in_use_[last.mode.machine].add(last.start, last.end(), -last.mode.gpus);
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
