#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

// A colour's points and its name in the legend.
struct Cloud {
  std::string name;
  ChartPoints points;
};

std::string key_text(const std::vector<std::string>& key) {
  std::string text;
  for (const std::string& cell : key) text += (text.empty() ? "" : ", ") + (cell.empty() ? std::string("-") : cell);
  return text;
}

std::string cloud_name(const std::string& what, const Score& score) {
  return fmt::format("{}: {} rows, GMAE {}", what, grouped(static_cast<double>(score.rows)), percent(score.gmae, 1));
}

std::vector<Cloud> clouds_by_method(const Validation& validation) {
  std::vector<Cloud> clouds(validation.methods.size());
  for (const ScoredGroup& group : validation.overall) {
    const auto found = std::find(validation.methods.begin(), validation.methods.end(), group.method);
    clouds[static_cast<std::size_t>(found - validation.methods.begin())].name = cloud_name(group.method, group.score);
  }
  for (const ComparedRow& row : validation.rows) {
    clouds[row.method].points.emplace_back(row.values.measured, row.values.predicted);
  }
  return clouds;
}

// The largest groups have a colour of their own, the others share one.
std::vector<Cloud> clouds_by_group(const Validation& validation, const std::vector<MeasuredTable>& tables) {
  constexpr std::size_t kMost = 6;
  std::vector<const ScoredGroup*> order;
  for (const ScoredGroup& group : validation.groups) {
    if (group.score.rows > 0) order.push_back(&group);  // a group of flagged rows alone has no points
  }
  const std::size_t groups = order.size();
  if (groups > kMost) {
    std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->score.rows > b->score.rows; });
    order.resize(kMost);
  }
  std::vector<Cloud> clouds;
  std::map<std::vector<std::string>, std::size_t> places;
  for (const ScoredGroup* group : order) {
    places.emplace(group->key, clouds.size());
    clouds.push_back({cloud_name(key_text(group->key), group->score), {}});
  }
  Cloud others;
  GpuCache gpus;
  for (const ComparedRow& row : validation.rows) {
    const auto found = places.find(key_of(row, tables, validation.by, gpus));
    Cloud& cloud = found == places.end() ? others : clouds[found->second];
    cloud.points.emplace_back(row.values.measured, row.values.predicted);
  }
  if (!others.points.empty()) {
    others.name = fmt::format("{} other groups: {} rows", groups - order.size(),
                              grouped(static_cast<double>(others.points.size())));
    clouds.push_back(std::move(others));
  }
  return clouds;
}

// predicted = factor x measured, across the whole plot.
ChartSeries guide(const Chart& chart, double factor, std::string name, std::string dashes) {
  ChartSeries line;
  line.name = std::move(name);
  line.mark = ChartSeries::Mark::line;
  line.data = {{chart.x.low, chart.x.low * factor}, {chart.x.high, chart.x.high * factor}};
  line.colour = kQuiet.light;
  line.dashes = std::move(dashes);
  return line;
}

void add_guides(Chart& chart) {
  chart.series.push_back(guide(chart, 1, "predicted = measured", ""));
  chart.series.push_back(guide(chart, 1.1, "10 % more or less", "6 4"));
  chart.series.push_back(guide(chart, 0.9, "", "6 4"));
  chart.series.push_back(guide(chart, 1.25, "25 % more or less", "2 3"));
  chart.series.push_back(guide(chart, 0.75, "", "2 3"));
}

std::string title_of(ComparedQuantity quantity) {
  switch (quantity) {
    case ComparedQuantity::time:
      return "time";
    case ComparedQuantity::l1:
      return "L1 bytes, loads and stores";
    case ComparedQuantity::l2:
      return "L2 bytes, loads and stores";
    case ComparedQuantity::dram:
      return "DRAM bytes, loads and stores";
    case ComparedQuantity::launches:
      return "kernel launches";
  }
  return "";
}

Axis axis_of(ComparedQuantity quantity, const std::string& which) {
  Axis axis;
  axis.title = which + " " + title_of(quantity);
  axis.scale = Scale::logarithmic;
  axis.time = quantity == ComparedQuantity::time;
  if (unit_of(quantity) == "bytes") axis.label = bytes_label;
  return axis;
}

// Points too small to hide each other where there are many.
double point_size(std::size_t points) {
  constexpr std::size_t kMany = 2000, kSome = 300;
  constexpr double kSmall = 2.5, kMiddle = 4, kLarge = 6;
  return points > kMany ? kSmall : (points > kSome ? kMiddle : kLarge);
}

}  // namespace

std::string validation_plot(const Validation& validation, const std::vector<MeasuredTable>& tables) {
  const bool by_group = validation.methods.size() == 1 && !validation.by.empty();
  Chart chart;
  chart.x = axis_of(validation.quantity, "Measured");
  chart.y = axis_of(validation.quantity, "Predicted");
  std::vector<double> values;
  for (const ComparedRow& row : validation.rows)
    values.insert(values.end(), {row.values.measured, row.values.predicted});
  fit_to(chart.x, values);
  chart.y.low = chart.x.low;
  chart.y.high = chart.x.high;
  chart.title = fmt::format("Predicted against measured {}{}", title_of(validation.quantity),
                            by_group ? fmt::format("; method {}", validation.methods.front()) : "");
  const auto clouds = by_group ? clouds_by_group(validation, tables) : clouds_by_method(validation);
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    ChartSeries series;
    series.name = clouds[i].name;
    series.data = clouds[i].points;
    series.colour = series_colour(i).light;
    series.width = point_size(validation.rows.size());
    series.opacity = 0.55;
    chart.series.push_back(std::move(series));
  }
  add_guides(chart);
  return svg_chart(chart);
}

}  // namespace rooftile
