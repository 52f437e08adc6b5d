// What designs are ranked, constrained and traded by: a parameter, or what comes of the design.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/explore/design_block.hpp"
#include "rooftile/explore/parameter.hpp"

namespace rooftile {

// The first kParameters are parameters, in their order and with their names. Less is better, of each.
enum class Metric : std::size_t {
  time = kParameters,  // seconds, of the workloads by their weights
  area,                // mm2, of all dies
  power,               // watts, at full use
  manufacturing_cost,  // US dollars to manufacture
  energy,              // joules, of the workloads by their weights
};
constexpr std::size_t kMetrics = kParameters + 5;

constexpr Metric metric_of(Parameter parameter) { return static_cast<Metric>(parameter); }
constexpr Metric metric_of(Cost cost) {
  return static_cast<Metric>(static_cast<std::size_t>(Metric::area) + static_cast<std::size_t>(cost));
}
// None unless the metric is one.
std::optional<Parameter> as_parameter(Metric metric);
std::optional<Cost> as_cost(Metric metric);

std::string_view name_of(Metric metric);  // in files and on the command line
std::vector<std::string> metric_names();
std::optional<Metric> find_metric(std::string_view name);

// "s", "mm2", "W", "USD", "J"; empty for a parameter, whose unit print() chooses.
std::string_view unit_of(Metric metric);

// "area_mm2", "power_w", "manufacturing_cost_usd", "energy_j": of tables for programs.
std::string_view column_name(Cost cost);

// "12.3 ms", "471 mm2", "1.05 TB/s".
std::string print(Metric metric, double value);

// The metric of each design of a block, in base units; a cost only where `outcome` has costs.
const std::vector<double>& column_of(Metric metric, const DesignBlock& block, const OutcomeBlock& outcome);

}  // namespace rooftile
