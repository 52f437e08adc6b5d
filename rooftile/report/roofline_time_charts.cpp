// The charts of the time-based Roofline: complexity, time, and both in one with four axes.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/roofline_chart.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using roofline::Bound;
using roofline::Origin;
using roofline::Roof;
using roofline::View;

constexpr std::array<Bound, 3> kBounds = {Bound::compute, Bound::bandwidth, Bound::launch};
constexpr std::array<Origin, 2> kOrigins = {Origin::predicted, Origin::measured};
constexpr std::size_t kMostSegments = 3000;

std::string flops_label(double flops) { return print(Flops(flops)); }

// A chart that is made with bytes along x, the other way round.
void turn(Chart& chart) {
  std::swap(chart.x, chart.y);
  std::swap(chart.top, chart.right);
  for (ChartSeries& series : chart.series) {
    for (auto& [x, y] : series.data) std::swap(x, y);
  }
  for (ChartLabel& label : chart.labels) {
    std::swap(label.x, label.y);
    if (label.anchor == "end") label.anchor = "";
  }
}

std::string drawn(Chart chart, RooflineAxes axes) {
  if (axes == RooflineAxes::flops_x) turn(chart);
  return svg_chart(chart);
}

// Powers of ten from `low` to `high`, at most about `most` of them, evenly spaced; none where an end has no logarithm.
std::vector<double> powers_of_ten(double low, double high, int most) {
  if (!(low > 0) || !std::isfinite(high)) return {};
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int step = 1 + std::max(0, last - first) / most;
  std::vector<double> powers;
  for (int power = first; power <= last; power += step) powers.push_back(std::pow(10.0, power));
  return powers;
}

// The line y = slope x, where it crosses the plot; nothing where it does not.
ChartPoints diagonal(const Chart& chart, double slope) {
  const double low = std::max(chart.x.low, chart.y.low / slope), high = std::min(chart.x.high, chart.y.high / slope);
  if (!(low < high)) return {};
  return {{low, low * slope}, {high, high * slope}};
}

// A power of ten.
std::string intensity_label(double intensity) {
  return (intensity < 1 ? fmt::format("{:.{}f}", intensity, std::lround(-std::log10(intensity))) : grouped(intensity)) +
         " FLOP/B";
}

// Diagonals of equal intensity at powers of ten, named where they leave the plot.
void add_intensities(Chart& chart) {
  constexpr int kMostLines = 12;
  ChartSeries lines = {
      .name = "equal FLOPs per byte", .mark = ChartSeries::Mark::segments, .data = {}, .colour = kContour.light};
  for (const double slope : powers_of_ten(chart.y.low / chart.x.high, chart.y.high / chart.x.low, kMostLines)) {
    const ChartPoints ends = diagonal(chart, slope);
    if (ends.empty()) continue;
    lines.data.insert(lines.data.end(), ends.begin(), ends.end());
    // A little inside the plot, so that the name has room below the line's end.
    const double back = std::pow(chart.x.high / chart.x.low, 0.02);
    const double x = ends.back().first / back;
    chart.labels.push_back({x, x * slope, intensity_label(slope), kFaint.light});
  }
  chart.series.push_back(std::move(lines));
}

// Where arithmetic and bytes take equally long, for each roof that kernels stand under.
void add_balances(Chart& chart, const View& view, const std::vector<Peak>& roofs) {
  for (const Peak& peak : roofs) {
    const double slope = balance(view.roof, peak, view.level);
    ChartSeries line = {.name = fmt::format("balance of {}: {:.3g} FLOP/B", name_of(peak), slope),
                        .mark = ChartSeries::Mark::line,
                        .data = diagonal(chart, slope),
                        .colour = kInk.light,
                        .dashes = roof_dashes(static_cast<std::size_t>(&peak - roofs.data())),
                        .width = 1.5};
    chart.series.push_back(std::move(line));
  }
}

// The box within which launches take longer than the work of one launch.
void add_box(Chart& chart, double x, double y, Seconds overhead) {
  chart.series.push_back({.name = fmt::format("overhead of a launch: {}", print(overhead)),
                          .mark = ChartSeries::Mark::line,
                          .data = {{x, chart.y.low}, {x, y}, {chart.x.low, y}},
                          .colour = limit_colour(name_of(Bound::launch)).light,
                          .dashes = "5 3",
                          .width = 1.5});
}

ChartShape shape_of(Origin origin) { return origin == Origin::measured ? ChartShape::square : ChartShape::disc; }

double size_of(std::size_t points) {
  constexpr double kFew = 9, kMany = 4;
  constexpr std::size_t kCrowd = 1000;
  return points > kCrowd ? kMany : kFew;
}

// Points by bound and origin; `place` says where one stands.
template <class Place>
void add_points(Chart& chart, const std::vector<PlacedKernel>& kernels, const Place& place, bool open,
                const std::string& what) {
  for (const Origin origin : kOrigins) {
    for (const Bound bound : kBounds) {
      ChartSeries series;
      for (const PlacedKernel& placed : kernels) {
        if (placed.kernel->origin == origin && placed.point.bound == bound) add_point(series, placed, place(placed));
      }
      if (series.data.empty()) continue;
      series.name = fmt::format("{}, bound by {}{}", name_of(origin), name_of(bound), what);
      series.colour = limit_colour(name_of(bound)).light;
      series.width = size_of(kernels.size());
      series.shape = shape_of(origin);
      series.open = open;
      series.opacity = 0.85;
      chart.series.push_back(std::move(series));
    }
  }
}

template <class Place>
void add_names(Chart& chart, const std::vector<PlacedKernel>& kernels, const Place& place) {
  const std::size_t count = std::min(kernels.size(), kNamedKernels);
  std::vector<ChartLabel> names;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [x, y] = place(kernels[i]);
    names.push_back({x, y, called(kernels[i])});
  }
  chart.labels.insert(chart.labels.begin(), names.begin(), names.end());
}

Axis logarithmic(std::string title, std::function<std::string(double)> label) {
  return {.title = std::move(title), .scale = Scale::logarithmic, .label = std::move(label)};
}

// Fits both axes to points.
void fit(Chart& chart, const ChartPoints& points) {
  std::vector<double> xs, ys;
  for (const auto& [x, y] : points) {
    xs.push_back(x);
    ys.push_back(y);
  }
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  widen(chart.x);
  widen(chart.y);
}

std::string level_name(const View& view) { return view.roof.levels[view.level].name; }

Chart bytes_and_flops(const View& view, std::string_view what) {
  Chart chart;
  chart.title = fmt::format("{}: {}", view.title, what);
  chart.x = logarithmic(fmt::format("bytes at {}", level_name(view)), bytes_label);
  chart.y = logarithmic("FLOPs", flops_label);
  chart.grid = false;
  return chart;
}

// The box of a launch on the scales of bytes and FLOPs.
std::pair<double, double> box_corner(const Roof& roof, std::size_t level, Peak peak) {
  return {(roof.levels[level].bandwidth * roof.launch_overhead).value(),
          (roof.peak(peak) * roof.launch_overhead).value()};
}

std::pair<double, double> complexity_of(const PlacedKernel& placed) {
  return {placed.bytes.value(), placed.flops.value()};
}

// What the box leaves out, where there is such a kernel.
std::string larger_boxes(const std::vector<PlacedKernel>& kernels) {
  const bool any =
      std::any_of(kernels.begin(), kernels.end(), [](const auto& one) { return one.kernel->launches > 1; });
  return any ? " With several launches, the box is that many times as large." : "";
}

// Not enough to draw a chart of.
std::string empty_chart(Chart chart, const PlacedKernels& placed) {
  fit(chart, {});
  chart.caption = "No kernel has FLOPs and bytes. " + placed.left_out;
  return svg_chart(chart);
}

}  // namespace

std::string complexity_chart(const View& view, RooflineAxes axes) {
  const PlacedKernels placed = placed_kernels(view, view.level);
  Chart chart = bytes_and_flops(view, "complexity");
  if (placed.kernels.empty()) return empty_chart(chart, placed);
  const std::vector<Peak> roofs = roofs_of(placed.kernels);
  const auto corner = box_corner(view.roof, view.level, roofs.front());
  ChartPoints all = {corner};
  for (const PlacedKernel& one : placed.kernels) all.push_back(complexity_of(one));
  fit(chart, all);
  add_intensities(chart);
  add_balances(chart, view, roofs);
  add_box(chart, corner.first, corner.second, view.roof.launch_overhead);
  add_points(chart, placed.kernels, complexity_of, false, "");
  add_names(chart, placed.kernels, complexity_of);
  const bool turned = axes == RooflineAxes::flops_x;
  chart.caption =
      fmt::format("{} a balance line arithmetic takes longer, {} it bytes.{} {}", turned ? "Below" : "Above",
                  turned ? "above" : "below", larger_boxes(placed.kernels), placed.left_out);
  return drawn(std::move(chart), axes);
}

std::string time_chart(const View& view, RooflineAxes axes) {
  const PlacedKernels placed = placed_kernels(view, view.level);
  Chart chart;
  chart.title = view.title + ": time";
  chart.x = logarithmic(fmt::format("bandwidth time at {}", level_name(view)), time_label);
  chart.y = logarithmic("compute time", time_label);
  chart.grid = false;
  if (placed.kernels.empty()) return empty_chart(chart, placed);
  const auto place = [](const PlacedKernel& one) {
    return std::pair(one.point.bandwidth_time.value(), one.point.compute_time.value());
  };
  const double overhead = view.roof.launch_overhead.value();
  ChartPoints all = {{overhead, overhead}};
  for (const PlacedKernel& one : placed.kernels) all.push_back(place(one));
  fit(chart, all);
  ChartSeries contours = {
      .name = "equal run time", .mark = ChartSeries::Mark::segments, .data = {}, .colour = kContour.light};
  const double low = std::min(chart.x.low, chart.y.low);
  constexpr int kMostContours = 30;
  for (const double time : powers_of_ten(low, std::max(chart.x.high, chart.y.high), kMostContours)) {
    // An L turned over: bounded by bandwidth on its right side, by compute on its top.
    const std::pair corner(time, time);
    for (const auto& end : {std::pair(time, chart.y.low), std::pair(chart.x.low, time)}) {
      contours.data.push_back(corner);
      contours.data.push_back(end);
    }
    if (time > chart.x.low && time > chart.y.low) {
      chart.labels.push_back(
          {std::min(time, chart.x.high), std::min(time, chart.y.high), time_label(time), kFaint.light});
    }
  }
  chart.series.push_back(std::move(contours));
  chart.series.push_back({.name = "compute and bandwidth equal",
                          .mark = ChartSeries::Mark::line,
                          .data = diagonal(chart, 1),
                          .colour = kInk.light,
                          .width = 1.5});
  if (overhead > 0) add_box(chart, overhead, overhead, view.roof.launch_overhead);
  add_points(chart, placed.kernels, place, false, "");
  add_names(chart, placed.kernels, place);
  chart.caption =
      fmt::format("The longer side of a point is its run time. Kernels inside the box are shorter than a launch.{} {}",
                  larger_boxes(placed.kernels), placed.left_out);
  return drawn(std::move(chart), axes);
}

std::string combined_chart(const View& view, RooflineAxes axes) {
  const PlacedKernels placed = placed_kernels(view, view.level);
  Chart chart = bytes_and_flops(view, "complexity and time");
  if (placed.kernels.empty()) return empty_chart(chart, placed);
  const std::vector<Peak> roofs = roofs_of(placed.kernels);
  const BytesPerSecond bandwidth = view.roof.levels[view.level].bandwidth;
  // A time point on the scales of bytes and FLOPs, under the kernel's own roof.
  const auto time_place = [&](const PlacedKernel& one) {
    return std::pair((one.point.bandwidth_time * bandwidth).value(),
                     (one.point.compute_time * view.roof.peak(one.point.peak)).value());
  };
  const auto corner = box_corner(view.roof, view.level, roofs.front());
  ChartPoints all = {corner};
  for (const PlacedKernel& one : placed.kernels) {
    all.push_back(complexity_of(one));
    all.push_back(time_place(one));
  }
  fit(chart, all);
  const double peak = view.roof.peak(roofs.front()).value();
  chart.top = logarithmic(fmt::format("bandwidth time at {}", level_name(view)), time_label);
  chart.top->low = chart.x.low / bandwidth.value();
  chart.top->high = chart.x.high / bandwidth.value();
  chart.right = logarithmic(fmt::format("compute time at {}", name_of(roofs.front())), time_label);
  chart.right->low = chart.y.low / peak;
  chart.right->high = chart.y.high / peak;
  add_intensities(chart);
  add_balances(chart, view, roofs);
  add_box(chart, corner.first, corner.second, view.roof.launch_overhead);
  ChartSeries gaps = {.name = "inefficiency", .mark = ChartSeries::Mark::segments, .data = {}, .colour = kOther.light};
  for (std::size_t i = 0; i < std::min(placed.kernels.size(), kMostSegments); ++i) {
    gaps.data.push_back(complexity_of(placed.kernels[i]));
    gaps.data.push_back(time_place(placed.kernels[i]));
  }
  chart.series.push_back(std::move(gaps));
  add_points(chart, placed.kernels, complexity_of, false, "");
  add_points(chart, placed.kernels, time_place, true, ": time");
  add_names(chart, placed.kernels, time_place);
  chart.caption =
      "Filled: FLOPs and bytes. Open: the time that they take, on the scales above and to the right. The longer the "
      "line between the two, the farther the kernel is from its roof.";
  if (roofs.size() > 1) {
    chart.caption += fmt::format(" Compute times are at {}; kernels of other units are drawn at their own rates.",
                                 name_of(roofs.front()));
  }
  chart.caption += larger_boxes(placed.kernels);
  if (!placed.left_out.empty()) chart.caption += " " + placed.left_out;
  return drawn(std::move(chart), axes);
}

}  // namespace rooftile
