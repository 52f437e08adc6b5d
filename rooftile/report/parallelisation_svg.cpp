// Ways to spread a training step, time against memory.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/report/parallelisation.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// "tp 8, dp 2, 4 x 8, recompute full": a way with what the tables have in columns of their own.
std::string whole_name(const Parallelism& way) {
  std::string name = fmt::format("{}, {} x {}", print(way), way.micro_batch, way.micro_batches);
  if (way.recompute != Recompute::none) name += fmt::format(", recompute {}", name_of(way.recompute));
  return name;
}

}  // namespace

std::string parallelisation_svg(const ParallelisationReport& report) {
  constexpr double kDot = 5, kFrontDot = 8, kLine = 1.5, kHeight = 420, kPale = 0.2, kGiga = 1 << 30;
  constexpr std::size_t kMost = 4000;  // points: of more, the fastest
  Chart chart;
  chart.title = fmt::format("{} on {} x {}: a step of {}", report.model, report.gpus, report.gpu.id,
                            counted(static_cast<std::size_t>(report.batch), "sample"));
  chart.caption = "No way is both faster and smaller than those on the line.";
  chart.x = {.title = "memory of a GPU in GiB", .scale = Scale::logarithmic};
  chart.y = {.title = "time of a step", .scale = Scale::logarithmic, .time = true};
  chart.plot_height = kHeight;
  std::vector<double> xs, ys;
  ChartSeries all = {.name = "ways that fit", .data = {}, .colour = kQuiet.light, .width = kDot, .opacity = kPale};
  const auto place = [&](const WayTried& one, ChartSeries& series) {
    const double x = one.step.memory.total().value() / kGiga, y = one.step.time.value();
    series.data.emplace_back(x, y);
    series.names.push_back(whole_name(one.way));
    xs.push_back(x);
    ys.push_back(y);
  };
  for (const WayTried& one : report.tried) {
    if (one.fate == WayFate::fits && all.data.size() < kMost) place(one, all);
  }
  ChartSeries line = {
      .name = "", .mark = ChartSeries::Mark::line, .data = {}, .colour = series_colour(0).light, .width = kLine};
  ChartSeries front = {.name = "front", .data = {}, .colour = series_colour(0).light, .width = kFrontDot};
  const std::vector<std::size_t> best = front_of(report.tried);
  std::map<std::string, int> alike;  // ways of the front by their short names
  for (const std::size_t i : best) ++alike[print(report.tried[i].way)];
  for (const std::size_t i : best) {
    const Parallelism& way = report.tried[i].way;
    place(report.tried[i], front);
    line.data.push_back(front.data.back());
    chart.labels.push_back(
        {front.data.back().first, front.data.back().second, alike[print(way)] > 1 ? whole_name(way) : print(way)});
  }
  chart.series = {std::move(all), std::move(line), std::move(front)};
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  return svg_chart(chart);
}

}  // namespace rooftile
