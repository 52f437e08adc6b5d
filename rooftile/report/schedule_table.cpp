// Schedules as text: a row a job, and a line of letters a GPU.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/report/schedule.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// The letters of the chart, one a placement; '#' after the last of them.
char letter_of(std::size_t placement) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return placement < kLetters.size() ? kLetters[placement] : '#';
}

std::string numbers(const std::vector<int>& gpus) {
  std::string text;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < gpus.size() && gpus[last + 1] == gpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(gpus[i]);
    if (last > i) text += "-" + std::to_string(gpus[last]);
    i = last;
  }
  return text;
}

std::string jobs_text(const ScheduleReport& report, std::size_t width) {
  TextTable table({{""},
                   {"job"},
                   {"machine"},
                   {"gpus"},
                   {"start", Align::right},
                   {"end", Align::right},
                   {"deadline", Align::right},
                   {"late", Align::right},
                   {"weight", Align::right}});
  for (std::size_t i = 0; i < report.schedule.placements.size(); ++i) {
    const Placement& placement = report.schedule.placements[i];
    const Job& job = report.jobs[placement.job];
    const Seconds late = tardiness_of(job, placement.end());
    table.add({std::string(1, letter_of(i)), job.name, report.machines[placement.mode.machine].name,
               numbers(placement.gpus), print_duration(placement.start), print_duration(placement.end()),
               job.deadline ? print_duration(*job.deadline) : "-", late > Seconds(0) ? print_duration(late) : "-",
               fmt::format("{:g}", job.weight)});
  }
  return table.text(width);
}

std::string gantt(const ScheduleReport& report, std::size_t width) {
  constexpr std::size_t kColumns = 56;  // 80 with what is around them
  const double column = report.schedule.cost.makespan.value() / kColumns;
  if (column <= 0) return "";
  TextTable table({{"machine"}, {"gpu", Align::right}, {"", Align::right}});
  for (std::size_t m = 0; m < report.machines.size(); ++m) {
    const ClusterMachine& machine = report.machines[m];
    std::vector<std::string> lines(static_cast<std::size_t>(machine.gpus), std::string(kColumns, '.'));
    for (std::size_t i = 0; i < report.schedule.placements.size(); ++i) {
      const Placement& placement = report.schedule.placements[i];
      if (placement.mode.machine != m) continue;
      // A column shows what runs in its middle; a job shorter than that still has one.
      const auto from = static_cast<std::size_t>(std::floor(placement.start.value() / column + 0.5));
      const auto to = static_cast<std::size_t>(std::floor(placement.end().value() / column + 0.5));
      const std::size_t first = std::min(from, kColumns - 1), end = std::min(std::max(to, first + 1), kColumns);
      for (const int gpu : placement.gpus) {
        std::string& line = lines[static_cast<std::size_t>(gpu)];
        std::fill(line.begin() + static_cast<std::ptrdiff_t>(first), line.begin() + static_cast<std::ptrdiff_t>(end),
                  letter_of(i));
      }
    }
    for (std::size_t gpu = 0; gpu < lines.size(); ++gpu) {
      table.add({gpu == 0 ? machine.name : "", std::to_string(gpu), lines[gpu]});
    }
  }
  return "\n" + table.text(width) + fmt::format("  one column is {}\n", print_duration(Seconds(column)));
}

}  // namespace

std::string schedule_table(const ScheduleReport& report, std::size_t width) {
  const ScheduleCost& cost = report.schedule.cost;
  std::size_t late = 0;
  for (const Placement& placement : report.schedule.placements) {
    late += tardiness_of(report.jobs[placement.job], placement.end()) > Seconds(0) ? 1 : 0;
  }
  const std::string heading =
      fmt::format("{} on {}: total weighted tardiness {}, {} late, all done after {}",
                  counted(report.jobs.size(), "job"), counted(report.machines.size(), "machine"),
                  print_duration(Seconds(cost.tardiness)), late, print_duration(cost.makespan));
  std::string text = wrapped(heading, width - 2, "  ") + "\n";
  if (report.proved && *report.proved) {
    text += fmt::format("No schedule is better; the heuristic alone: tardiness {}, done after {}\n",
                        print_duration(Seconds(report.heuristic.tardiness)), print_duration(report.heuristic.makespan));
  } else {
    text += report.proved ? "The exact search ended early: a better schedule may exist\n"
                          : "By heuristic: a better schedule may exist\n";
  }
  return text + "\n" + jobs_text(report, width) + gantt(report, width);
}

}  // namespace rooftile
