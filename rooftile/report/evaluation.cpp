#include "rooftile/report/evaluation.hpp"

#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/svg_chart.hpp"

namespace rooftile {
namespace {

std::string percent_label(double fraction) {
  constexpr double kPercent = 100;
  return fmt::format("{:.4g} %", fraction * kPercent);
}

std::vector<double> values_of(const Plot& plot, double std::pair<double, double>::*which) {
  std::vector<double> values;
  for (const PlotSeries& series : plot.series) {
    for (const auto& point : series.points) values.push_back(point.*which);
  }
  return values;
}

Axis axis_of(const PlotAxis& plotted, const std::vector<double>& values) {
  Axis axis;
  axis.title = plotted.title;
  axis.scale = plotted.logarithmic ? Scale::logarithmic : Scale::linear;
  if (plotted.unit == PlotAxis::Unit::percent) axis.label = percent_label;
  if (plotted.unit == PlotAxis::Unit::seconds) axis.time = true;
  if (plotted.unit == PlotAxis::Unit::bytes) axis.label = bytes_label;
  for (const auto& [value, name] : plotted.ticks) axis.fixed.push_back({value, name});
  for (const auto& [value, name] : plotted.groups) axis.groups.push_back({value, name});
  axis.upright = plotted.upright;
  if (plotted.range) {
    std::tie(axis.low, axis.high) = *plotted.range;
  } else {
    fit_to(axis, values);
    constexpr double kNarrow = 5;  // too few powers of ten and halves of them to name on a logarithmic axis
    if (plotted.logarithmic && axis.high < kNarrow * axis.low) axis.scale = Scale::linear;
  }
  return axis;
}

ChartSeries guide(ChartPoints points) {
  ChartSeries line;
  line.mark = ChartSeries::Mark::line;
  line.data = std::move(points);
  line.colour = kOther.light;
  line.dashes = "4 4";
  return line;
}

ChartSeries series_of(const PlotSeries& plotted, const std::map<double, std::string>& places) {
  constexpr double kPoint = 6, kLine = 1.6;
  ChartSeries series;
  series.name = plotted.name;
  series.mark = plotted.line ? ChartSeries::Mark::line : ChartSeries::Mark::points;
  series.data = plotted.points;
  series.colour = (plotted.limit.empty() ? series_colour(plotted.colour) : limit_colour(plotted.limit)).light;
  for (const auto& [x, y] : plotted.points) {
    const auto place = places.find(x);
    if (place != places.end()) series.names.push_back(fmt::format("{}: {}", place->second, plotted.name));
  }
  series.width = plotted.line ? kLine : kPoint;
  if (plotted.dashed) series.dashes = "6 3";
  series.opacity = plotted.line ? 1 : 0.75;
  return series;
}

}  // namespace

std::string figure_csv(const FigureTable& table) {
  std::string text = write_csv_row(table.columns);
  for (const std::vector<std::string>& row : table.rows) text += write_csv_row(row);
  return text;
}

std::string figure_svg(const Plot& plot) {
  using Point = std::pair<double, double>;
  Chart chart;
  chart.title = plot.what;
  chart.caption = plot.caption;
  chart.plot_width = plot.width;
  chart.plot_height = plot.height;
  chart.x = axis_of(plot.x, values_of(plot, &Point::first));
  std::vector<double> along_y = values_of(plot, &Point::second);
  if (plot.level) along_y.push_back(*plot.level);
  chart.y = axis_of(plot.y, along_y);
  for (const double x : plot.separators) chart.series.push_back(guide({{x, chart.y.low}, {x, chart.y.high}}));
  if (plot.level) chart.series.push_back(guide({{chart.x.low, *plot.level}, {chart.x.high, *plot.level}}));
  for (const PlotSeries& series : plot.series) chart.series.push_back(series_of(series, plot.places));
  return svg_chart(chart);
}

std::string evaluation_index(std::string_view setup, const std::vector<EvaluationSection>& sections) {
  std::string text = fmt::format("# Evaluation\n\n{}\n", setup);
  for (const EvaluationSection& section : sections) {
    text += fmt::format("\n## {}\n", section.title);
    for (const auto& [file, what] : section.files) text += fmt::format("- [{}]({}): {}\n", file, file, what);
  }
  return text;
}

}  // namespace rooftile
