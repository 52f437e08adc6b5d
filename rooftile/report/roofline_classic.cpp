// The classic Roofline, FLOP/s against FLOPs a byte, at one memory level or at all of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/roofline_chart.hpp"

namespace rooftile {
namespace {

using roofline::Bound;
using roofline::Origin;
using roofline::View;

constexpr std::array<ChartShape, 4> kShapes = {ChartShape::triangle, ChartShape::square, ChartShape::disc,
                                               ChartShape::diamond};

std::string rate_label(double rate) { return print(FlopsPerSecond(rate)); }

std::pair<double, double> place(const PlacedKernel& placed) {
  return {placed.point.intensity, placed.flops.value() / placed.kernel->time.value()};
}

Chart frame_of(const View& view, const std::string& what, const std::string& where,
               const std::vector<std::vector<PlacedKernel>>& levels, double highest_peak) {
  Chart chart;
  chart.title = fmt::format("{}: {}", view.title, what);
  chart.x = {.title = fmt::format("arithmetic intensity at {}, FLOP/B", where), .scale = Scale::logarithmic};
  chart.y = {.title = "arithmetic rate, FLOP/s", .scale = Scale::logarithmic, .label = rate_label};
  std::vector<double> xs, ys = {highest_peak * 1.3};
  for (const auto& kernels : levels) {
    for (const PlacedKernel& placed : kernels) {
      xs.push_back(placed.point.intensity);
      xs.push_back(placed.point.balance * 1.5);  // so that the roof's corner is seen
      xs.push_back(placed.point.balance / 2);
      ys.push_back(place(placed).second);
    }
  }
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  widen(chart.x);
  widen(chart.y);
  return chart;
}

// The slope of a level's bandwidth, up to the highest peak.
void add_slope(Chart& chart, const roofline::RoofLevel& level, double peak, const Colour& colour) {
  const double bandwidth = level.bandwidth.value();
  const double low = std::max(chart.x.low, chart.y.low / bandwidth), high = std::min(chart.x.high, peak / bandwidth);
  if (!(low < high)) return;
  chart.series.push_back({.name = fmt::format("{} {}", level.name, print(level.bandwidth)),
                          .mark = ChartSeries::Mark::line,
                          .data = {{low, low * bandwidth}, {high, high * bandwidth}},
                          .colour = colour.light,
                          .width = 2});
}

// The flat part of the roof for each unit, from where the fastest level drawn reaches it; named beside the plot, where
// no point is in the way.
void add_peaks(Chart& chart, const View& view, const std::vector<Peak>& roofs, BytesPerSecond fastest) {
  Axis names = {.title = "", .scale = Scale::logarithmic, .low = chart.y.low, .high = chart.y.high};
  for (const Peak& peak : roofs) {
    const double rate = view.roof.peak(peak).value();
    const double from = std::clamp(rate / fastest.value(), chart.x.low, chart.x.high);
    chart.series.push_back({.name = fmt::format("{} {}", name_of(peak), print(view.roof.peak(peak))),
                            .mark = ChartSeries::Mark::line,
                            .data = {{from, rate}, {chart.x.high, rate}},
                            .colour = kInk.light,
                            .dashes = roof_dashes(static_cast<std::size_t>(&peak - roofs.data())),
                            .width = 2});
    names.fixed.push_back({rate, std::string(name_of(peak))});
  }
  std::sort(names.fixed.begin(), names.fixed.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  chart.right = std::move(names);
}

void add_names(Chart& chart, const std::vector<PlacedKernel>& kernels) {
  for (std::size_t i = 0; i < std::min(kernels.size(), kNamedKernels); ++i) {
    const auto [x, y] = place(kernels[i]);
    chart.labels.push_back({x, y, called(kernels[i])});
  }
}

double highest(const View& view, const std::vector<Peak>& roofs) {
  double rate = 0;
  for (const Peak peak : roofs) rate = std::max(rate, view.roof.peak(peak).value());
  return rate;
}

double size_of(const std::vector<PlacedKernel>& kernels) {
  constexpr std::size_t kCrowd = 1000;
  return kernels.size() > kCrowd ? 4 : 9;
}

// Joins the marks of each kernel, where they are few enough to follow.
void join_levels(Chart& chart, const std::vector<std::vector<PlacedKernel>>& levels) {
  constexpr std::size_t kMost = 300;
  std::map<const roofline::Kernel*, ChartPoints> rows;
  for (const auto& kernels : levels) {
    for (const PlacedKernel& placed : kernels) rows[placed.kernel].push_back(place(placed));
  }
  if (rows.size() > kMost) return;
  ChartSeries lines = {.name = "one kernel", .mark = ChartSeries::Mark::segments, .data = {}, .colour = kContour.light};
  for (const auto& [kernel, points] : rows) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) lines.data.insert(lines.data.end(), {points[i], points[i + 1]});
  }
  if (!lines.data.empty()) chart.series.push_back(std::move(lines));
}

}  // namespace

std::string classic_chart(const View& view) {
  const PlacedKernels placed = placed_kernels(view, view.level);
  const std::vector<Peak> roofs = roofs_of(placed.kernels);
  const roofline::RoofLevel& level = view.roof.levels[view.level];
  Chart chart = frame_of(view, "Roofline", level.name, {placed.kernels}, highest(view, roofs));
  add_slope(chart, level, highest(view, roofs), kInk);
  add_peaks(chart, view, roofs, level.bandwidth);
  for (const Origin origin : {Origin::predicted, Origin::measured}) {
    for (const Bound bound : {Bound::compute, Bound::bandwidth, Bound::launch}) {
      ChartSeries series;
      for (const PlacedKernel& one : placed.kernels) {
        if (one.kernel->origin == origin && one.point.bound == bound) add_point(series, one, place(one));
      }
      if (series.data.empty()) continue;
      series.name = fmt::format("{}, bound by {}", name_of(origin), name_of(bound));
      series.colour = limit_colour(name_of(bound)).light;
      series.shape = origin == Origin::measured ? ChartShape::square : ChartShape::disc;
      series.width = size_of(placed.kernels);
      series.opacity = 0.85;
      chart.series.push_back(std::move(series));
    }
  }
  add_names(chart, placed.kernels);
  chart.caption = placed.left_out;
  return svg_chart(chart);
}

std::string hierarchical_chart(const View& view) {
  std::vector<std::vector<PlacedKernel>> levels;
  std::vector<PlacedKernel> all;
  for (std::size_t i = 0; i < view.roof.levels.size(); ++i) {
    levels.push_back(placed_kernels(view, i).kernels);
    all.insert(all.end(), levels.back().begin(), levels.back().end());
  }
  const std::vector<Peak> roofs = roofs_of(all);
  Chart chart = frame_of(view, "hierarchical Roofline", "each level", levels, highest(view, roofs));
  BytesPerSecond fastest;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    fastest = std::max(fastest, view.roof.levels[i].bandwidth);
    add_slope(chart, view.roof.levels[i], highest(view, roofs), level_colour(view.roof.levels[i].name));
  }
  if (!roofs.empty()) add_peaks(chart, view, roofs, fastest);
  join_levels(chart, levels);
  for (const Origin origin : {Origin::predicted, Origin::measured}) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      ChartSeries series;
      for (const PlacedKernel& one : levels[i]) {
        if (one.kernel->origin == origin) add_point(series, one, place(one));
      }
      if (series.data.empty()) continue;
      series.name = fmt::format("{}, {}", view.roof.levels[i].name, name_of(origin));
      series.colour = level_colour(view.roof.levels[i].name).light;
      series.shape = kShapes[i % kShapes.size()];
      series.open = origin == Origin::measured;
      series.width = size_of(all);
      series.opacity = 0.85;
      chart.series.push_back(std::move(series));
    }
  }
  if (!levels.empty()) add_names(chart, levels[view.level]);
  chart.caption = fmt::format(
      "Each kernel has one mark per level, all at the same height. Where they are far apart, a level serves most of "
      "what is asked of it. {}",
      placed_kernels(view, view.level).left_out);
  return svg_chart(chart);
}

}  // namespace rooftile
