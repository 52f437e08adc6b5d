#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/svg_axis.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMostOfFront = 20;

std::string_view sampling_name(Sampling sampling) {
  switch (sampling) {
    case Sampling::grid:
      return "grid";
    case Sampling::random:
      return "random";
    case Sampling::sobol:
      break;
  }
  return "Sobol";
}

double speedup(const ExploreReport& report, double time) { return report.base_time / time; }

std::size_t most_of(const std::array<double, kBottlenecks>& shares) {
  return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

// "area mm2".
std::string cost_title(Cost cost) { return fmt::format("{} {}", name_of(metric_of(cost)), unit_of(metric_of(cost))); }

// Whether a cost of a design is beyond what one board, or one die, may have.
bool is_beyond(const ExploreReport& report, Cost cost, double value) {
  const double limit = cost == Cost::power ? report.power_limit : cost == Cost::area ? report.reticle : 0;
  return limit > 0 && value > limit;
}

std::string limits_note(const ExploreReport& report, std::size_t width) {
  std::vector<std::string> limits;
  if (report.power_limit > 0)
    limits.push_back(fmt::format("{:.4g} W, the limit of {}", report.power_limit, report.space.base.id));
  if (report.reticle > 0)
    limits.push_back(fmt::format("{:.4g} mm2, the largest die that can be exposed", report.reticle));
  return page_line(fmt::format("  ! beyond {}", fmt::join(limits, ", or ")), width, "    ");
}

std::string designs_text(const ExploreReport& report, std::span<const RankedDesign> designs, std::size_t most,
                         std::size_t width) {
  std::vector<TextTable::Column> columns = {{"index", Align::right}, {"time", Align::right}};
  if (report.base_time > 0) columns.push_back({"speedup", Align::right});
  if (report.base_costs) {
    for (const Cost cost : kAllCosts) columns.push_back({cost_title(cost), Align::right});
  }
  columns.push_back({"limited by"});
  for (const DesignAxis& axis : report.space.axes)
    columns.push_back({std::string(name_of(axis.parameter)), Align::right});
  TextTable table(std::move(columns));
  bool any_beyond = false;
  for (const RankedDesign& design : designs.first(std::min(most, designs.size()))) {
    const std::size_t which = most_of(design.shares);
    const bool marked = report.beyond.count(design.index) > 0;
    any_beyond |= marked;
    std::vector<std::string> cells = {grouped(static_cast<double>(design.index)) + (marked ? " !" : ""),
                                      time_label(design.time)};
    if (report.base_time > 0) cells.push_back(fmt::format("{:.3f}", speedup(report, design.time)));
    if (report.base_costs) {
      for (std::size_t c = 0; c < kCosts; ++c) {
        const bool beyond = is_beyond(report, kAllCosts[c], design.costs[c]);
        cells.push_back(four_digits(design.costs[c]) + (beyond ? " !" : ""));
        any_beyond |= beyond;
      }
    }
    cells.push_back(
        fmt::format("{} {}", name_of(static_cast<Bottleneck>(which)), percent(design.shares[which], design.time)));
    for (const DesignAxis& axis : report.space.axes)
      cells.push_back(print(axis.parameter, at(design.point, axis.parameter)));
    table.add(std::move(cells));
  }
  std::string text = table.text(width);
  if (any_beyond) text += limits_note(report, width);
  if (designs.size() > most)
    text += fmt::format("  and {} more\n", grouped(static_cast<double>(designs.size() - most)));
  return text;
}

// "1 design", "1,200 designs".
std::string designs_of(std::uint64_t count) {
  return fmt::format("{} {}", grouped(static_cast<double>(count)), count == 1 ? "design" : "designs");
}

// " at 471 mm2, 329 W, 333 USD, 31.2 J".
std::string base_costs_text(const ExploreReport& report) {
  std::string text;
  for (std::size_t c = 0; c < kCosts; ++c) {
    const Cost cost = kAllCosts[c];
    if (cost == Cost::energy && report.base_time == 0) continue;
    text += fmt::format(
        "{} {}", text.empty() ? (report.base_time > 0 ? " at" : fmt::format(", {} at", report.space.base.id)) : ",",
        print(metric_of(cost), (*report.base_costs)[c]));
  }
  return text;
}

std::string limits_text(const ExploreResults& results, std::size_t width) {
  const auto fit = static_cast<double>(results.unfit[0]);
  TextTable table({{"limited by"}, {"designs", Align::right}, {"mean share of time", Align::right}});
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    if (results.share_sums[b] == 0) continue;
    table.add({std::string(name_of(static_cast<Bottleneck>(b))), grouped(static_cast<double>(results.limited[b])),
               percent(static_cast<double>(results.share_sums[b]) / ExploreResults::kShareUnits, fit)});
  }
  return table.text(width);
}

}  // namespace

std::string explore_table(const ExploreReport& report, std::size_t width) {
  const ExploreResults& results = report.results;
  const DesignSpace& space = report.space;
  std::string text = page_line(fmt::format("{} based on {}, {} of {} {}: {}", designs_of(space.size()), space.base.id,
                                           sampling_name(space.sampling), space.axes.size(),
                                           space.axes.size() == 1 ? "axis" : "axes", names_of(space.workloads)),
                               width, "  ");
  std::string base = fmt::format("  method {}", report.method);
  if (report.base_time > 0) base += fmt::format(", {} takes {}", space.base.id, time_label(report.base_time));
  if (report.base_costs) base += base_costs_text(report);
  text += page_line(base, width, "    ");
  if (results.designs < space.size()) {
    text += fmt::format("  stopped: {} done\n", designs_of(results.designs));
  }
  for (std::size_t u = 1; u < kUnfits; ++u) {
    if (results.unfit[u] == 0) continue;
    text += fmt::format("  {} left out: {}\n", grouped(static_cast<double>(results.unfit[u])),
                        reason_of(static_cast<Unfit>(u)));
  }
  for (const std::string& note : report.notes) text += page_line("  " + note, width, "    ");
  if (results.unfit[0] == 0) return text;
  if (const std::vector<RankedDesign> best = results.best.designs(); !best.empty()) {
    const Metric metric = results.best.metric();
    text += metric == Metric::time ? "\nBest designs\n" : fmt::format("\nBest designs by {}\n", name_of(metric));
    text += designs_text(report, best, best.size(), width);
  }
  if (!results.pareto.metrics().empty()) {
    std::string names;
    for (const Metric metric : results.pareto.metrics()) names += fmt::format(", {}", name_of(metric));
    const std::vector<RankedDesign> front = results.pareto.designs();
    text += fmt::format("\nPareto front (time{}): {}\n", names, designs_of(front.size()));
    text += designs_text(report, front, kMostOfFront, width);
  }
  return text + "\nWhat limits the designs\n" + limits_text(results, width);
}

std::string designs_csv(const ExploreReport& report, std::span<const RankedDesign> designs) {
  std::vector<std::string> names = {"rank", "index"};
  for (const DesignAxis& axis : report.space.axes) names.emplace_back(name_of(axis.parameter));
  for (const char* name : {"time_s", "speedup", "bottleneck"}) names.emplace_back(name);
  for (std::size_t b = 0; b < kBottlenecks; ++b) {
    names.push_back(fmt::format("limited_by_{}_s", name_of(static_cast<Bottleneck>(b))));
  }
  if (report.base_costs) {
    for (const Cost cost : kAllCosts) names.emplace_back(column_name(cost));
  }
  std::string text = write_csv_row(names);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const RankedDesign& design = designs[i];
    std::vector<std::string> cells = {fmt::format("{}", i + 1), fmt::format("{}", design.index)};
    for (const DesignAxis& axis : report.space.axes)
      cells.push_back(fmt::format("{}", at(design.point, axis.parameter)));
    cells.push_back(fmt::format("{}", design.time));
    cells.push_back(report.base_time > 0 ? fmt::format("{:.6g}", speedup(report, design.time)) : "");
    cells.emplace_back(name_of(static_cast<Bottleneck>(most_of(design.shares))));
    for (const double share : design.shares) cells.push_back(fmt::format("{}", share));
    if (report.base_costs) {
      for (const double cost : design.costs) cells.push_back(fmt::format("{}", cost));
    }
    text += write_csv_row(cells);
  }
  return text;
}

std::string heat_map_csv(const ExploreReport& report, const HeatMap& map) {
  std::string text = write_csv_row(
      std::vector<std::string>{std::string(name_of(map.x())), std::string(name_of(map.y())), "time_s", "speedup"});
  for (std::size_t y = 0; y < map.ys().size(); ++y) {
    for (std::size_t x = 0; x < map.xs().size(); ++x) {
      const double time = map.least(x, y);
      const bool any = std::isfinite(time);
      text += write_csv_row(std::vector<std::string>{
          fmt::format("{}", map.xs()[x]), fmt::format("{}", map.ys()[y]), any ? fmt::format("{}", time) : "",
          any && report.base_time > 0 ? fmt::format("{:.6g}", speedup(report, time)) : ""});
    }
  }
  return text;
}

}  // namespace rooftile
