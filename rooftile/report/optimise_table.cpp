// The best designs of a space, as text.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/report/optimise.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMostOptima = 20;

// "+1.2 %"; "." where nothing changes; "-" where there is nothing to compare with.
std::string change(double value, double before) {
  if (!(before > 0)) return "-";
  const double percents = 100 * (value / before - 1);
  constexpr double kNothing = 5e-3, kCoarse = 100;
  if (std::abs(percents) < kNothing) return ".";
  return std::abs(percents) < kCoarse ? fmt::format("{:+.2f} %", percents) : fmt::format("{:+.0f} %", percents);
}

std::string limits_of(const MeasuredDesign& design) {
  std::vector<std::size_t> order(kBottlenecks);
  for (std::size_t b = 0; b < kBottlenecks; ++b) order[b] = b;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return design.shares[a] > design.shares[b]; });
  constexpr double kCounts = 0.005;
  std::vector<std::string> parts;
  for (const std::size_t b : order) {
    if (design.shares[b] <= kCounts * at(design.metrics, Metric::time)) continue;
    parts.push_back(fmt::format("{} {}", name_of(static_cast<Bottleneck>(b)),
                                percent(design.shares[b], at(design.metrics, Metric::time))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string head(const OptimumReport& report, std::size_t width) {
  const Optimum& optimum = report.optimum;
  std::vector<std::string_view> names;
  for (const Metric metric : optimum.objectives) names.push_back(name_of(metric));
  const std::size_t axes = report.space.axes.size();
  std::string text =
      page_line(fmt::format("Least {} over {}, {}: {}", fmt::join(names, " and "), report.space.base.id,
                            axes == 1 ? "1 axis" : fmt::format("{} axes", axes), names_of(report.space.workloads)),
                width, "  ");
  if (optimum.exact) {
    text += fmt::format("  method {}; all {} designs were tried\n", report.method, grouped(optimum.size));
  } else {
    const std::string of = std::isfinite(optimum.size) ? fmt::format(" of {}", grouped(optimum.size)) : "";
    text += fmt::format("  method {}; {}{} designs tried, seed {}{}\n", report.method,
                        grouped(static_cast<double>(optimum.trials)), of, report.seed,
                        optimum.stopped ? "; stopped early" : "");
  }
  for (const std::string& note : report.notes) text += page_line("  " + note, width, "    ");
  return text;
}

std::string beside_base(const OptimumReport& report, std::size_t width) {
  const MeasuredDesign &base = report.optimum.base, &best = report.optimum.designs.front().design;
  const bool runs = base.unfit == Unfit::none;
  TextTable table({{""}, {report.space.base.id, Align::right}, {"best", Align::right}, {"change", Align::right}});
  for (const Metric metric : outcome_metrics(report)) {
    const double before = runs ? at(base.metrics, metric) : 0, after = at(best.metrics, metric);
    table.add({std::string(name_of(metric)), before > 0 ? print(metric, before) : "-", print(metric, after),
               change(after, before)});
  }
  for (const DesignAxis& axis : report.space.axes) {
    const double before = at(base.point, axis.parameter), after = at(best.point, axis.parameter);
    table.add({std::string(name_of(axis.parameter)), print(axis.parameter, before), print(axis.parameter, after),
               change(after, before)});
  }
  std::string text = table.text(width);
  if (runs)
    text += page_line(fmt::format("  {} is limited by {}", report.space.base.id, limits_of(base)), width, "    ");
  return text + page_line(fmt::format("  the best is limited by {}", limits_of(best)), width, "    ");
}

std::string slack_text(const OptimumReport& report, std::size_t limit, double excess) {
  if (!report.optimum.has_slack[limit]) return "true";
  return fmt::format("{:.2f} %", -100 * excess + 0.0);
}

std::string constraints_text(const OptimumReport& report, std::size_t width) {
  const Optimum& optimum = report.optimum;
  if (optimum.limits.empty()) return "";
  const Metric objective = optimum.objectives.front();
  const double least = at(optimum.designs.front().design.metrics, objective);
  TextTable table({{"constraint", Align::left},
                   {"slack", Align::right},
                   {"binds"},
                   {"1 % looser", Align::right},
                   {"10 % looser", Align::right},
                   {"without", Align::right}});
  for (std::size_t i = 0; i < optimum.limits.size(); ++i) {
    const LimitAnswer& limit = optimum.limits[i];
    const bool graded = optimum.has_slack[i];
    table.add({optimum.constraints[i], slack_text(report, i, limit.excess), limit.binds ? "yes" : "no",
               graded ? change(limit.looser_1, least) : "", graded ? change(limit.looser_10, least) : "",
               change(limit.without, least)});
  }
  return fmt::format("\nConstraints: what {} would be with each one looser\n{}", name_of(objective), table.text(width));
}

// The metrics that steps are weighed by: the objective, and what constraints name; without any, time and manufacturing
// cost.
std::vector<Metric> weighed(const OptimumReport& report) {
  const Metric objective = report.optimum.objectives.front();
  std::vector<Metric> result = {objective};
  for (const Metric metric : outcome_metrics(report)) {
    const bool named =
        std::any_of(report.optimum.constraints.begin(), report.optimum.constraints.end(),
                    [&](const std::string& text) { return text.find(name_of(metric)) != std::string::npos; });
    if (metric != objective && (named || metric == Metric::time)) result.push_back(metric);
  }
  if (result.size() == 1 && report.has_costs) result.push_back(Metric::manufacturing_cost);
  return result;
}

std::string step_text(const OptimumReport& report, const StepAnswer& step) {
  if (step.design.design.unfit != Unfit::none) return std::string(reason_of(step.design.design.unfit));
  std::vector<std::string> parts;
  for (const std::size_t limit : step.broken) {
    const std::string by =
        report.optimum.has_slack[limit] ? fmt::format(" by {:.2g} %", 100 * step.design.excess[limit]) : "";
    parts.push_back(fmt::format("breaks {}{}", report.optimum.constraints[limit], by));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string axes_text(const OptimumReport& report, std::size_t width) {
  const Optimum& optimum = report.optimum;
  if (optimum.axes.empty()) return "";
  const MeasuredDesign& best = optimum.designs.front().design;
  const std::vector<Metric> metrics = weighed(report);
  std::vector<TextTable::Column> columns = {{"axis"}, {"from", Align::right}, {"to", Align::right}};
  for (const Metric metric : metrics) columns.push_back({std::string(name_of(metric)), Align::right});
  columns.push_back({"", Align::left});
  TextTable table(std::move(columns));
  std::string ends;
  for (std::size_t a = 0; a < optimum.axes.size(); ++a) {
    const Parameter parameter = report.space.axes[a].parameter;
    const AxisAnswer& axis = optimum.axes[a];
    for (const auto* step : {&axis.less, &axis.more}) {
      if (!*step) continue;
      const MeasuredDesign& moved = (*step)->design.design;
      std::vector<std::string> cells = {std::string(name_of(parameter)), print(parameter, at(best.point, parameter)),
                                        print(parameter, at(moved.point, parameter))};
      for (const Metric metric : metrics) {
        cells.push_back(moved.unfit == Unfit::none ? change(at(moved.metrics, metric), at(best.metrics, metric)) : "-");
      }
      cells.push_back(step_text(report, **step));
      table.add(std::move(cells));
    }
    if (!axis.beyond) continue;
    const double least = at(best.metrics, optimum.objectives.front());
    const std::string then = change(*axis.beyond, least);
    const std::string end = fmt::format(
        "  {} is at {}, the end of its range: {}", name_of(parameter), print(parameter, at(best.point, parameter)),
        then == "." ? fmt::format("{} would not help", print(parameter, *axis.beyond_value))
                    : fmt::format("with {} allowed, {} {}", print(parameter, *axis.beyond_value),
                                  name_of(optimum.objectives.front()), then));
    ends += wrapped(end, width - 4, "    ") + "\n";
  }
  return fmt::format("\nOne step along each axis, all else unchanged\n{}{}", table.text(width), ends);
}

// Places of at most `most` of `count` members, ends included.
std::vector<std::size_t> spread_over(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  if (count <= most) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  for (std::size_t i = 0; i < most; ++i) places.push_back(i * (count - 1) / (most - 1));
  return places;
}

std::string front_text(const OptimumReport& report, std::size_t width) {
  const Optimum& optimum = report.optimum;
  std::vector<TextTable::Column> columns = {{"", Align::right}};
  for (const Metric metric : optimum.objectives) {
    columns.push_back({std::string(name_of(metric)), Align::right});
    columns.push_back({"step", Align::right});
  }
  columns.push_back({"limited by"});
  for (const DesignAxis& axis : report.space.axes) {
    columns.push_back({std::string(name_of(axis.parameter)), Align::right});
  }
  TextTable table(std::move(columns));
  const std::vector<std::size_t> places = spread_over(optimum.designs.size(), kMostOptima);
  const MeasuredDesign* before = nullptr;
  for (const std::size_t place : places) {
    const MeasuredDesign& design = optimum.designs[place].design;
    std::vector<std::string> cells = {fmt::format("{}", place + 1)};
    for (const Metric metric : optimum.objectives) {
      cells.push_back(print(metric, at(design.metrics, metric)));
      cells.push_back(before == nullptr ? "" : change(at(design.metrics, metric), at(before->metrics, metric)));
    }
    const auto most = std::max_element(design.shares.begin(), design.shares.end());
    cells.push_back(fmt::format("{} {}", name_of(static_cast<Bottleneck>(most - design.shares.begin())),
                                percent(*most, at(design.metrics, Metric::time))));
    for (const DesignAxis& axis : report.space.axes) {
      cells.push_back(print(axis.parameter, at(design.point, axis.parameter)));
    }
    table.add(std::move(cells));
    before = &design;
  }
  std::string text =
      fmt::format("\nPareto front: {} designs that none tried beats on every metric{}\n",
                  grouped(static_cast<double>(optimum.designs.size())),
                  places.size() < optimum.designs.size() ? fmt::format("; {} shown", places.size()) : "");
  text += table.text(width);
  const MeasuredDesign& base = optimum.base;
  if (base.unfit == Unfit::none) {
    std::vector<std::string> parts;
    for (const Metric metric : optimum.objectives) {
      parts.push_back(fmt::format("{} {}", name_of(metric), print(metric, at(base.metrics, metric))));
    }
    text += fmt::format("  {} as it is: {}\n", report.space.base.id, fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

std::vector<Metric> outcome_metrics(const OptimumReport& report) {
  std::vector<Metric> metrics = {Metric::time};
  for (std::size_t m = 0; m < kMetrics && report.has_costs; ++m) {
    if (as_cost(static_cast<Metric>(m))) metrics.push_back(static_cast<Metric>(m));
  }
  return metrics;
}

std::string optimum_table(const OptimumReport& report, std::size_t width) {
  if (report.optimum.objectives.size() > 1) return head(report, width) + front_text(report, width);
  return head(report, width) + "\n" + beside_base(report, width) + constraints_text(report, width) +
         axes_text(report, width);
}

}  // namespace rooftile
