#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/report/explore.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kTitle = 14, kSmall = 11;

// Dark to bright, read alike with any colour vision and in grey: five points of matplotlib's "viridis" (CC0), straight
// lines between them.
std::string colour_of(double place) {
  constexpr std::array<std::array<double, 3>, 5> kPoints = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double scaled = std::clamp(place, 0.0, 1.0) * (kPoints.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(scaled), kPoints.size() - 2);
  std::array<int, 3> rgb{};
  for (std::size_t c = 0; c < rgb.size(); ++c) {
    const double value =
        kPoints[low][c] + (kPoints[low + 1][c] - kPoints[low][c]) * (scaled - static_cast<double>(low));
    rgb[c] = static_cast<int>(std::lround(value));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

constexpr double kCharacter = 0.6;  // width of one over its size, on the wide side

double widest(const std::vector<std::string>& names) {
  std::size_t most = 0;
  for (const std::string& name : names) most = std::max(most, width_of(name));
  return kCharacter * kSmall * static_cast<double>(most);
}

std::vector<std::string> names_of(Parameter parameter, const std::vector<double>& values) {
  std::vector<std::string> names;
  for (const double value : values) names.push_back(print(parameter, value));
  return names;
}

// Every value has its name, or every so many where even lines of text would meet.
std::size_t name_step(double cell) {
  constexpr double kLine = kSmall + 2;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(kLine / cell)));
}

// A map's cells and the range of what they show.
struct Shown {
  const ExploreReport& report;
  const HeatMap& map;
  bool relative = false;  // speedups, else times
  double low = INFINITY, high = -INFINITY;

  Shown(const ExploreReport& of, const HeatMap& shown_map) : report(of), map(shown_map), relative(of.base_time > 0) {
    for (std::size_t y = 0; y < map.ys().size(); ++y) {
      for (std::size_t x = 0; x < map.xs().size(); ++x) {
        if (!std::isfinite(map.least(x, y))) continue;
        low = std::min(low, value(x, y));
        high = std::max(high, value(x, y));
      }
    }
  }
  double value(std::size_t x, std::size_t y) const {
    return relative ? report.base_time / map.least(x, y) : map.least(x, y);
  }
  double place(double value) const { return high > low ? (value - low) / (high - low) : 1; }
  std::string label(double value) const { return relative ? fmt::format("{:.2f}", value) : time_label(value); }
};

struct Box {
  double left, top, width, height;
};

void draw_cell(Svg& svg, const Shown& shown, std::size_t x, std::size_t y, const Box& box) {
  const bool any = std::isfinite(shown.map.least(x, y));
  const double place = any ? shown.place(shown.value(x, y)) : 0;
  const std::string label = any ? shown.label(shown.value(x, y)) : "no design";
  svg.rectangle(
      box.left, box.top, box.width, box.height,
      fmt::format("fill=\"{}\"", any ? colour_of(place) : std::string(kLane.light)),
      fmt::format("{}: {}; {}: {}; {}", axis_title(name_of(shown.map.x())), print(shown.map.x(), shown.map.xs()[x]),
                  axis_title(name_of(shown.map.y())), print(shown.map.y(), shown.map.ys()[y]),
                  any && shown.relative ? fmt::format("speedup: {}", label) : label));
  constexpr double kLine = 18, kBright = 0.6;
  if (any && box.width >= kCharacter * kSmall * static_cast<double>(width_of(label)) && box.height >= kLine) {
    svg.text(box.left + box.width / 2, box.top + box.height / 2 + 4, label,
             {.anchor = "middle", .size = kSmall, .colour = place > kBright ? "black" : "white"});
  }
}

// The colours and what they stand for, from the least to the most.
void draw_scale(Svg& svg, const Shown& shown, const Box& box) {
  constexpr int kSteps = 40, kLabels = 8;
  for (int i = 0; i < kSteps; ++i) {
    svg.rectangle(box.left, box.top + box.height - box.height * (i + 1) / kSteps, box.width, box.height / kSteps + 0.5,
                  fmt::format("fill=\"{}\"", colour_of((i + 0.5) / kSteps)));
  }
  if (!(shown.low < shown.high)) return;
  Axis axis = {.title = "", .low = shown.low, .high = shown.high, .time = !shown.relative};
  for (const Tick& tick : ticks_of(axis, kLabels)) {
    svg.text(box.left + box.width + 6, box.top + box.height * (1 - place_on(axis, tick.value)) + 4, tick.label,
             {.size = kSmall});
  }
}

}  // namespace

std::string heat_map_svg(const ExploreReport& report, const HeatMap& map) {
  constexpr double kTop = 48, kTitleRoom = 44, kScale = 16, kScaleRoom = 110, kWidth = 520, kHeight = 400, kGap = 8;
  const Shown shown(report, map);
  const std::vector<std::string> xs = names_of(map.x(), map.xs()), ys = names_of(map.y(), map.ys());
  const double left = std::max(110.0, kTitleRoom + widest(ys) + kGap);
  const double cell_x = kWidth / static_cast<double>(xs.size()), cell_y = kHeight / static_cast<double>(ys.size());
  const bool upright = widest(xs) + kGap > cell_x;  // names along x do not fit side by side
  const double names = upright ? widest(xs) : kSmall;
  const double base = kTop + kHeight;
  Svg svg(left + kWidth + kScaleRoom, base + names + kTitleRoom + kGap);
  svg.text(left, kTop - 20, shown.relative ? fmt::format("Best speedup over {}", report.space.base.id) : "Least time",
           {.size = kTitle, .bold = true});
  for (std::size_t y = 0; y < ys.size(); ++y) {
    for (std::size_t x = 0; x < xs.size(); ++x) {
      draw_cell(svg, shown, x, y,
                {left + cell_x * static_cast<double>(x), base - cell_y * static_cast<double>(y + 1), cell_x, cell_y});
    }
  }
  for (std::size_t x = 0; x < xs.size(); x += upright ? name_step(cell_x) : 1) {
    const double middle = left + cell_x * (static_cast<double>(x) + 0.5);
    if (upright) {
      svg.text(middle + 4, base + kGap, xs[x], {.anchor = "end", .size = kSmall, .rotate = -90});
    } else {
      svg.text(middle, base + 18, xs[x], {.anchor = "middle", .size = kSmall});
    }
  }
  for (std::size_t y = 0; y < ys.size(); y += name_step(cell_y)) {
    svg.text(left - kGap, base - cell_y * (static_cast<double>(y) + 0.5) + 4, ys[y], {.anchor = "end", .size = kSmall});
  }
  svg.text(left + kWidth / 2, base + names + 34, axis_title(name_of(map.x())), {.anchor = "middle"});
  svg.text(20, kTop + kHeight / 2, axis_title(name_of(map.y())), {.anchor = "middle", .rotate = -90});
  draw_scale(svg, shown, {left + kWidth + 24, kTop, kScale, kHeight});
  return svg.document();
}

std::string pareto_svg(const ExploreReport& report) {
  const Metric along = report.results.pareto.metrics().front();
  const bool relative = report.base_time > 0;
  Chart chart;
  chart.title = "Pareto front of time";
  for (const Metric metric : report.results.pareto.metrics()) {
    chart.title += fmt::format(", {}", axis_title(name_of(metric)));
  }
  const std::string_view unit = unit_of(along);
  chart.x.title = axis_title(name_of(along)) + (unit.empty() ? "" : fmt::format(", {}", unit));
  chart.x.label = [along, unit](double value) {
    return unit.empty() ? print(along, value) : fmt::format("{:.4g}", value);
  };
  chart.y.title = relative ? fmt::format("speedup over {}", report.space.base.id) : "time";
  chart.y.time = !relative;
  ChartSeries series;
  series.data = {};
  constexpr double kBeyond = 1.02;  // so that the frame cuts no mark
  std::vector<double> xs, ys;
  for (const RankedDesign& design : report.results.pareto.designs()) {
    const double y = relative ? report.base_time / design.time : design.time;
    series.data.emplace_back(value_of(along, design), y);
    std::string name;
    for (const Metric metric : report.results.pareto.metrics()) {
      if (metric == along) continue;
      name += fmt::format("{}{}: {}", name.empty() ? "" : "; ", axis_title(name_of(metric)),
                          print(metric, value_of(metric, design)));
    }
    series.names.push_back(std::move(name));
    xs.push_back(value_of(along, design) * kBeyond);
    ys.push_back(y * kBeyond);
  }
  series.colour = series_colour(0).light;
  series.width = 6;
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  chart.series.push_back(std::move(series));
  constexpr double kHeight = 380;
  chart.plot_height = kHeight;
  return svg_chart(chart);
}

}  // namespace rooftile
