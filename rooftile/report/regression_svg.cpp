#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "rooftile/report/regression.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kOthers = "others";

// Points too small to hide each other where there are many.
double point_size(std::size_t points) {
  constexpr std::size_t kMany = 2000, kSome = 300;
  constexpr double kSmall = 2.5, kMiddle = 4, kLarge = 6;
  return points > kMany ? kSmall : (points > kSome ? kMiddle : kLarge);
}

// The name under which a row's point is drawn: its group's, if that is among the five largest or the only other one.
std::vector<std::string> names_of(const FittedPoints& points) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names = points.groups;
  names.resize(points.measured.size());
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) ++counts[name];
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.size() <= kMost + 1) return names;
  for (std::string& name : names) {
    const auto place = std::find_if(order.begin(), order.end(), [&](const auto& group) { return group.first == name; });
    if (place - order.begin() >= static_cast<std::ptrdiff_t>(kMost)) name = kOthers;
  }
  return names;
}

// Adds a point for each row with positive values; `y_of` says where. Tells in the caption how many have none.
template <class Y>
void add_points(Chart& chart, const FittedPoints& points, bool x_is_fitted, Y y_of) {
  std::map<std::string, ChartPoints> clouds;
  const std::vector<std::string> names = names_of(points);
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < points.measured.size(); ++row) {
    const double measured = points.measured[row], fitted = points.fitted[row];
    if (!(measured > 0 && fitted > 0)) {
      ++left_out;
      continue;
    }
    clouds[names[row]].emplace_back(x_is_fitted ? fitted : measured, y_of(measured, fitted));
  }
  for (const auto& [name, data] : clouds) {
    ChartSeries series;
    series.name = name.empty() ? "" : fmt::format("{}: {}", name, counted(data.size(), "row"));
    series.data = data;
    series.colour = (name == kOthers ? kOther : series_colour(chart.series.size())).light;
    series.width = point_size(points.measured.size());
    series.opacity = 0.55;
    chart.series.push_back(std::move(series));
  }
  if (left_out > 0)
    chart.caption = fmt::format("Without {} whose fitted value is not positive.", counted(left_out, "row"));
}

Axis value_axis(const FittedPoints& points, const std::string& which) {
  Axis axis;
  axis.title = points.unit == "s" ? which + " time" : fmt::format("{}, {}", which, points.unit);
  axis.scale = Scale::logarithmic;
  axis.time = points.unit == "s";
  return axis;
}

ChartSeries line_of(ChartPoints data, std::string name, std::string dashes) {
  ChartSeries line;
  line.name = std::move(name);
  line.mark = ChartSeries::Mark::line;
  line.data = std::move(data);
  line.colour = kQuiet.light;
  line.dashes = std::move(dashes);
  return line;
}

}  // namespace

std::string actual_versus_fitted_plot(const FittedPoints& points) {
  Chart chart;
  chart.title = points.title;
  chart.x = value_axis(points, "Measured");
  chart.y = value_axis(points, "Fitted");
  std::vector<double> values = points.measured;
  values.insert(values.end(), points.fitted.begin(), points.fitted.end());
  fit_to(chart.x, values);
  chart.y.low = chart.x.low;
  chart.y.high = chart.x.high;
  add_points(chart, points, false, [](double, double fitted) { return fitted; });
  const double low = chart.x.low, high = chart.x.high;
  chart.series.push_back(line_of({{low, low}, {high, high}}, "fitted = measured", ""));
  chart.series.push_back(line_of({{low, low * 1.25}, {high, high * 1.25}}, "25 % more or less", "2 3"));
  chart.series.push_back(line_of({{low, low * 0.75}, {high, high * 0.75}}, "", "2 3"));
  return svg_chart(chart);
}

// Errors of less than the value itself stand as percentages about zero, larger ones as factors.
std::string residual_plot(const FittedPoints& points) {
  Chart chart;
  chart.title = points.title;
  chart.x = value_axis(points, "Fitted");
  fit_to(chart.x, points.fitted);
  std::vector<double> ratios = {1 / 1.1, 1.1};  // a fit without errors has an axis too
  for (std::size_t row = 0; row < points.measured.size(); ++row) {
    if (points.fitted[row] > 0 && points.measured[row] > 0) ratios.push_back(points.measured[row] / points.fitted[row]);
  }
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  const bool small = *most <= 2;
  const double shift = small ? 1 : 0;
  chart.y.title = small ? "Measured / fitted - 1" : "Measured / fitted";
  if (small) {
    const double largest = std::max(1 - *least, *most - 1);
    chart.y.low = -1.05 * largest;
    chart.y.high = 1.05 * largest;
    chart.y.label = [](double value) { return fmt::format("{:.3g} %", 100 * value); };
  } else {
    chart.y.scale = Scale::logarithmic;
    fit_to(chart.y, ratios);
    chart.y.label = [](double value) { return value < 1e6 ? grouped(value) + "x" : fmt::format("{:.3g}x", value); };
  }
  add_points(chart, points, true, [&](double measured, double fitted) { return measured / fitted - shift; });
  chart.series.push_back(line_of({{chart.x.low, 1 - shift}, {chart.x.high, 1 - shift}}, "", ""));
  return svg_chart(chart);
}

}  // namespace rooftile
