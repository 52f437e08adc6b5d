#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/report/explore.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/svg_chart.hpp"

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

std::string axis_title(Parameter parameter) { return std::string(name_of(parameter)); }

// At most about `room` labels: every so many values have one.
std::size_t label_step(std::size_t values, double pixels, double label) {
  const auto room = std::max<std::size_t>(1, static_cast<std::size_t>(pixels / label));
  return (values + room - 1) / room;
}

}  // namespace

std::string heat_map_svg(const ExploreReport& report, const HeatMap& map) {
  constexpr double kLeft = 110, kTop = 48, kBottom = 64, kScale = 16, kScaleRoom = 110, kWidth = 520, kHeight = 400;
  const double cell_x = kWidth / static_cast<double>(map.xs().size());
  const double cell_y = kHeight / static_cast<double>(map.ys().size());
  const bool relative = report.base_time > 0;
  const auto shown = [&](double time) { return relative ? report.base_time / time : time; };
  double low = INFINITY, high = -INFINITY;
  for (std::size_t y = 0; y < map.ys().size(); ++y) {
    for (std::size_t x = 0; x < map.xs().size(); ++x) {
      if (!std::isfinite(map.least(x, y))) continue;
      low = std::min(low, shown(map.least(x, y)));
      high = std::max(high, shown(map.least(x, y)));
    }
  }
  Svg svg(kLeft + kWidth + kScaleRoom, kTop + kHeight + kBottom);
  const std::string what = relative ? fmt::format("Best speedup over {}", report.space.base.id) : "Least time";
  svg.text(kLeft, kTop - 20, what, {.size = kTitle, .bold = true});
  for (std::size_t y = 0; y < map.ys().size(); ++y) {
    for (std::size_t x = 0; x < map.xs().size(); ++x) {
      const double time = map.least(x, y);
      const bool any = std::isfinite(time);
      const double place = !any ? 0 : (high > low ? (shown(time) - low) / (high - low) : 1);
      const double left = kLeft + cell_x * static_cast<double>(x);
      const double top = kTop + kHeight - cell_y * static_cast<double>(y + 1);
      svg.rectangle(left, top, cell_x, cell_y, fmt::format("fill=\"{}\"", any ? colour_of(place) : "#dddddd"));
      constexpr double kRoomX = 40, kRoomY = 18, kBright = 0.6;
      if (any && cell_x >= kRoomX && cell_y >= kRoomY) {
        svg.text(left + cell_x / 2, top + cell_y / 2 + 4,
                 relative ? fmt::format("{:.2f}", shown(time)) : time_label(time),
                 {.anchor = "middle", .size = kSmall, .colour = place > kBright ? "#222222" : "#ffffff"});
      }
    }
  }
  const std::size_t step_x = label_step(map.xs().size(), kWidth, 75), step_y = label_step(map.ys().size(), kHeight, 18);
  for (std::size_t x = 0; x < map.xs().size(); x += step_x) {
    svg.text(kLeft + cell_x * (static_cast<double>(x) + 0.5), kTop + kHeight + 18, print(map.x(), map.xs()[x]),
             {.anchor = "middle", .size = kSmall});
  }
  for (std::size_t y = 0; y < map.ys().size(); y += step_y) {
    svg.text(kLeft - 8, kTop + kHeight - cell_y * (static_cast<double>(y) + 0.5) + 4, print(map.y(), map.ys()[y]),
             {.anchor = "end", .size = kSmall});
  }
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 44, axis_title(map.x()), {.anchor = "middle"});
  svg.text(20, kTop + kHeight / 2, axis_title(map.y()), {.anchor = "middle", .rotate = -90});
  // The scale.
  const double scale_left = kLeft + kWidth + 24;
  constexpr int kSteps = 40;
  for (int i = 0; i < kSteps; ++i) {
    svg.rectangle(scale_left, kTop + kHeight - kHeight * (i + 1) / kSteps, kScale, kHeight / kSteps + 0.5,
                  fmt::format("fill=\"{}\"", colour_of((i + 0.5) / kSteps)));
  }
  constexpr int kLabels = 4;
  for (int i = 0; i <= kLabels && high >= low; ++i) {
    const double value = low + (high - low) * i / kLabels;
    svg.text(scale_left + kScale + 6, kTop + kHeight - kHeight * i / kLabels + 4,
             relative ? fmt::format("{:.2f}", value) : time_label(value), {.size = kSmall});
  }
  return svg.document();
}

std::string pareto_svg(const ExploreReport& report) {
  const Metric along = report.results.pareto.metrics().front();
  const bool relative = report.base_time > 0;
  Chart chart;
  chart.title = "Pareto front (time";
  for (const Metric metric : report.results.pareto.metrics()) chart.title += fmt::format(", {}", name_of(metric));
  chart.title += ')';
  const std::string_view unit = unit_of(along);
  chart.x.title = unit.empty() ? std::string(name_of(along)) : fmt::format("{} ({})", name_of(along), unit);
  chart.x.label = [along, unit](double value) {
    return unit.empty() ? print(along, value) : fmt::format("{:.4g}", value);
  };
  chart.y.title = relative ? fmt::format("speedup over {}", report.space.base.id) : "time (s)";
  ChartSeries series;
  series.data = {};
  std::vector<double> xs, ys;
  for (const RankedDesign& design : report.results.pareto.designs()) {
    const double y = relative ? report.base_time / design.time : design.time;
    series.data.emplace_back(value_of(along, design), y);
    xs.push_back(value_of(along, design));
    ys.push_back(y);
  }
  series.colour = chart_colour(0);
  series.width = 6;
  fit_to(chart.x, xs);
  fit_to(chart.y, ys);
  chart.series.push_back(std::move(series));
  constexpr double kHeight = 380;
  chart.plot_height = kHeight;
  return svg_chart(chart);
}

}  // namespace rooftile
