// Schedules of jobs on a cluster (docs/planning.md) as text, JSON, CSV and a Gantt chart.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "rooftile/planning/schedule.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct ScheduleReport {
  std::span<const Job> jobs;
  std::span<const ClusterMachine> machines;
  const Schedule& schedule;
  ScheduleCost heuristic;           // of the schedule that was found first
  std::optional<bool> proved = {};  // whether nothing better exists; none: not asked
};

// With a Gantt chart of letters.
std::string schedule_table(const ScheduleReport& report, std::size_t width = kAnyWidth);
// "rooftile/schedule/1".
std::string schedule_json(const ScheduleReport& report);
// One row a job.
std::string schedule_csv(const ScheduleReport& report);
// One row a GPU.
std::string schedule_svg(const ScheduleReport& report);

}  // namespace rooftile
