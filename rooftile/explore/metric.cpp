#include "rooftile/explore/metric.hpp"

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"

namespace rooftile {
namespace {

struct ResultRow {
  std::string_view name, unit;
};
// From Metric::time on.
constexpr std::array<ResultRow, kMetrics - kParameters> kResults = {
    {{"time", "s"}, {"area", "mm2"}, {"power", "W"}, {"manufacturing_cost", "USD"}, {"energy", "J"}}};

const ResultRow& result_of(Metric metric) { return kResults[static_cast<std::size_t>(metric) - kParameters]; }

}  // namespace

std::optional<Parameter> as_parameter(Metric metric) {
  if (metric >= Metric::time) return std::nullopt;
  return static_cast<Parameter>(metric);
}

std::optional<Cost> as_cost(Metric metric) {
  if (metric < Metric::area) return std::nullopt;
  return static_cast<Cost>(static_cast<std::size_t>(metric) - static_cast<std::size_t>(Metric::area));
}

std::string_view name_of(Metric metric) {
  const auto parameter = as_parameter(metric);
  return parameter ? name_of(*parameter) : result_of(metric).name;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names = parameter_names();
  for (const ResultRow& row : kResults) names.emplace_back(row.name);
  return names;
}

std::optional<Metric> find_metric(std::string_view name) {
  for (std::size_t m = 0; m < kMetrics; ++m) {
    if (name_of(static_cast<Metric>(m)) == name) return static_cast<Metric>(m);
  }
  return std::nullopt;
}

std::string_view unit_of(Metric metric) { return as_parameter(metric) ? "" : result_of(metric).unit; }

std::string_view column_name(Cost cost) {
  constexpr std::array<std::string_view, kCosts> kNames = {"area_mm2", "power_w", "manufacturing_cost_usd", "energy_j"};
  return kNames[static_cast<std::size_t>(cost)];
}

std::string print(Metric metric, double value) {
  if (const auto parameter = as_parameter(metric)) return print(*parameter, value);
  if (metric == Metric::time) return print(Seconds(value));
  return fmt::format("{:.4g} {}", value, unit_of(metric));
}

const std::vector<double>& column_of(Metric metric, const DesignBlock& block, const OutcomeBlock& outcome) {
  if (const auto cost = as_cost(metric)) return outcome.costs[static_cast<std::size_t>(*cost)];
  return metric == Metric::time ? outcome.time : block.values[static_cast<std::size_t>(metric)];
}

}  // namespace rooftile
