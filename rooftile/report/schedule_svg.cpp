// Schedules as a Gantt chart: a row a GPU, a bar a job, a mark at its deadline.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/report/schedule.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/svg_axis.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kLeft = 160, kRight = 40, kTop = 30, kWidth = 820, kRow = 22, kBottom = 40;
// The name of a job on its bar, which is light in the dark.
std::string_view name_on(const Colour& colour) {
  return text_on(colour.light) == "#ffffff" ? kOnMark.light : text_on(colour.light);
}

std::string title_of(const Job& job, const Placement& placement) {
  std::string title = fmt::format("{}: {} to {} on {}", job.name, print_duration(placement.start),
                                  print_duration(placement.end()), counted(placement.gpus.size(), "GPU"));
  const Seconds late = tardiness_of(job, placement.end());
  if (job.deadline) title += fmt::format(", due at {}", print_duration(*job.deadline));
  return late > Seconds(0) ? title + fmt::format(", {} late", print_duration(late)) : title;
}

}  // namespace

std::string schedule_svg(const ScheduleReport& report) {
  std::vector<double> tops;  // of each machine's rows
  double y = kTop;
  for (const ClusterMachine& machine : report.machines) {
    tops.push_back(y);
    y += kRow * machine.gpus + kRow / 2;
  }
  Svg svg(kLeft + kWidth + kRight, y + kBottom);
  const double makespan = std::max(report.schedule.cost.makespan.value(), 1e-9);
  const std::string ink = fmt::format("stroke=\"{}\"", kText.light);
  const auto x_of = [&](Seconds time) { return kLeft + kWidth * time.value() / makespan; };
  svg.text(kLeft, kTop - 12,
           fmt::format("{}, total weighted tardiness {}, done after {}", counted(report.jobs.size(), "job"),
                       print_duration(Seconds(report.schedule.cost.tardiness)),
                       print_duration(report.schedule.cost.makespan)),
           {.bold = true});
  for (std::size_t m = 0; m < report.machines.size(); ++m) {
    const ClusterMachine& machine = report.machines[m];
    svg.text(kLeft - 8, tops[m] + kRow * 0.7, shorten(machine.name, 22), {.anchor = "end"});
    for (int gpu = 0; gpu < machine.gpus; ++gpu) {
      svg.rectangle(kLeft, tops[m] + kRow * gpu, kWidth, kRow - 2, fmt::format("fill=\"{}\"", kLane.light));
    }
  }
  for (const Placement& placement : report.schedule.placements) {
    const Job& job = report.jobs[placement.job];
    const bool late = tardiness_of(job, placement.end()) > Seconds(0);
    const Colour& colour = series_colour(placement.job % kApart);
    const double x = x_of(placement.start), width = x_of(placement.end()) - x;
    const std::string title = title_of(job, placement);
    for (const int gpu : placement.gpus) {
      const double top = tops[placement.mode.machine] + kRow * gpu;
      svg.rectangle(x, top, width, kRow - 2,
                    fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"", colour.light,
                                (late ? kAlarm : kGround).light, late ? 2 : 1),
                    title);
      constexpr double kLetter = 7;  // pixels
      const auto letters = static_cast<std::size_t>(std::max(0.0, width / kLetter - 1));
      if (gpu == placement.gpus.front() && letters >= 1) {
        svg.text(x + 4, top + kRow * 0.65, shorten(job.name, letters), {.size = 11, .colour = name_on(colour)});
      }
      if (job.deadline && *job.deadline <= report.schedule.cost.makespan) {
        svg.line(x_of(*job.deadline), top, x_of(*job.deadline), top + kRow - 2, ink);
      }
    }
  }
  const Axis axis = {.title = "", .high = makespan, .time = true};
  constexpr int kTicks = 8;
  for (const Tick& tick : ticks_of(axis, kTicks)) {
    const Seconds time(tick.value);
    svg.line(x_of(time), y, x_of(time), y + 5, ink);
    svg.text(x_of(time), y + 18, tick.label, {.anchor = "middle", .size = 11});
  }
  svg.text(kLeft, y + 36, "Red frame: late. Line across a job's rows: its deadline.",
           {.size = 11, .colour = kQuiet.light});
  return svg.document();
}

}  // namespace rooftile
