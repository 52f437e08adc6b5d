// The front of two objectives, as SVG.
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/report/optimise.hpp"
#include "rooftile/report/svg_chart.hpp"

namespace rooftile {
namespace {

void scale(Axis& axis, Metric metric, std::vector<double> values) {
  axis.title = axis_title(name_of(metric));
  axis.time = metric == Metric::time;
  if (!axis.time) axis.label = [metric](double value) { return print(metric, value); };
  constexpr double kBeyond = 1.02;  // so that the frame cuts no mark
  for (double& value : values) value *= kBeyond;
  fit_to(axis, values);
}

}  // namespace

std::string optimum_svg(const OptimumReport& report) {
  const Optimum& optimum = report.optimum;
  const Metric across = optimum.objectives.size() > 1 ? optimum.objectives[1] : Metric::time;
  const Metric up = optimum.objectives.front();
  Chart chart;
  chart.title = fmt::format("{} against {}: the Pareto front", axis_title(name_of(up)), axis_title(name_of(across)));
  chart.title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(chart.title.front())));
  ChartSeries front = {.name = "designs of the front", .data = {}};
  std::vector<double> xs, ys;
  for (const ChosenDesign& chosen : optimum.designs) {
    xs.push_back(at(chosen.design.metrics, across));
    ys.push_back(at(chosen.design.metrics, up));
    front.data.emplace_back(xs.back(), ys.back());
  }
  front.colour = series_colour(0).light;
  constexpr double kDot = 6, kBaseDot = 9, kHeight = 380;
  front.width = kDot;
  chart.series.push_back(std::move(front));
  if (optimum.base.unfit == Unfit::none) {
    xs.push_back(at(optimum.base.metrics, across));
    ys.push_back(at(optimum.base.metrics, up));
    ChartSeries base = {.name = report.space.base.id, .data = {{xs.back(), ys.back()}}};
    base.colour = series_colour(1).light;
    base.width = kBaseDot;
    base.shape = ChartShape::diamond;
    chart.series.push_back(std::move(base));
  }
  scale(chart.x, across, xs);
  scale(chart.y, up, ys);
  chart.plot_height = kHeight;
  return svg_chart(chart);
}

}  // namespace rooftile
