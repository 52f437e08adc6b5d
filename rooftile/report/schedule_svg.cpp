// Schedules as a Gantt chart: a row a GPU, a bar a job, a mark at its deadline.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/planning/duration.hpp"
#include "rooftile/report/schedule.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kLeft = 160, kTop = 30, kWidth = 840, kRow = 22, kBottom = 40;
struct Colours {
  const char *bar, *name;  // the name reads well on the bar
};
constexpr const char *kLight = "#ffffff", *kDark = "#222222";
constexpr std::array kColours = {Colours{"#4e79a7", kLight}, Colours{"#f28e2b", kDark}, Colours{"#59a14f", kDark},
                                 Colours{"#b07aa1", kDark},  Colours{"#76b7b2", kDark}, Colours{"#edc948", kDark},
                                 Colours{"#9c755f", kLight}, Colours{"#bab0ac", kDark}};

}  // namespace

std::string schedule_svg(const ScheduleReport& report) {
  std::vector<double> tops;  // of each machine's rows
  double y = kTop;
  for (const ClusterMachine& machine : report.machines) {
    tops.push_back(y);
    y += kRow * machine.gpus + kRow / 2;
  }
  Svg svg(kLeft + kWidth + 20, y + kBottom);
  const double makespan = std::max(report.schedule.cost.makespan.value(), 1e-9);
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
      svg.rectangle(kLeft, tops[m] + kRow * gpu, kWidth, kRow - 2, "fill=\"#f2f2f2\"");
    }
  }
  for (const Placement& placement : report.schedule.placements) {
    const Job& job = report.jobs[placement.job];
    const bool late = tardiness_of(job, placement.end()) > Seconds(0);
    const Colours colours = kColours[placement.job % kColours.size()];
    const double x = x_of(placement.start), width = x_of(placement.end()) - x;
    for (const int gpu : placement.gpus) {
      const double top = tops[placement.mode.machine] + kRow * gpu;
      svg.rectangle(x, top, width, kRow - 2,
                    fmt::format("fill=\"{}\" {}", colours.bar,
                                late ? "stroke=\"#d62728\" stroke-width=\"2\"" : "stroke=\"#ffffff\""));
      constexpr double kLetter = 7;  // pixels
      const auto letters = static_cast<std::size_t>(std::max(0.0, width / kLetter - 1));
      if (gpu == placement.gpus.front() && letters >= 1) {
        svg.text(x + 4, top + kRow * 0.65, shorten(job.name, letters), {.size = 11, .colour = colours.name});
      }
      if (job.deadline && *job.deadline <= report.schedule.cost.makespan) {
        svg.line(x_of(*job.deadline), top, x_of(*job.deadline), top + kRow - 2, "stroke=\"#222222\"");
      }
    }
  }
  constexpr int kTicks = 5;
  for (int i = 0; i <= kTicks; ++i) {
    const Seconds time(makespan * i / kTicks);
    svg.line(x_of(time), y, x_of(time), y + 5, "stroke=\"#222222\"");
    svg.text(x_of(time), y + 18, i == 0 ? "0" : print_duration(time), {.anchor = "middle", .size = 11});
  }
  svg.text(kLeft, y + 34, "a red frame: late; a dark line in the job's rows: its deadline", {.size = 11});
  return svg.document();
}

}  // namespace rooftile
