// Explored designs as text, CSV and SVG.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/scaling.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// An exploration that has ended, whole or stopped.
struct ExploreReport {
  const DesignSpace& space;
  const ExploreResults& results;
  std::string method;
  double base_time = 0;                                       // seconds; zero where the base GPU itself is unfit
  std::optional<std::array<double, kCosts>> base_costs = {};  // where costs are asked for
  std::vector<std::string> notes = {};                        // of axes (explore/axis_notes.hpp)
  double power_limit = 0;                                     // watts that the base GPU may draw; zero: not known
  double reticle = 0;                                         // mm2 of the largest die; zero: not known
  std::set<std::uint64_t> beyond = {};                        // indices of designs beyond these, without costs
};

// A page: what was explored, the best designs, the front, what limits designs, why designs are none.
std::string explore_table(const ExploreReport& report, std::size_t width = kAnyWidth);

// One row a design: rank, index, axes in base units, time_s, speedup, bottleneck, seconds by bottleneck; with costs
// also area_mm2, power_w, manufacturing_cost_usd, energy_j.
std::string designs_csv(const ExploreReport& report, std::span<const RankedDesign> designs);

// "rooftile/exploration/1": the best designs and the front, in base units.
std::string explore_json(const ExploreReport& report);

// The speedup of the best design for each pair of values, as rows of x, y, time_s, speedup, and in colours.
std::string heat_map_csv(const ExploreReport& report, const HeatMap& map);
std::string heat_map_svg(const ExploreReport& report, const HeatMap& map);

// Speedup over the first metric of the front.
std::string pareto_svg(const ExploreReport& report);

// The study of Table 16a: one row an option. `what` says the workload and GPU.
std::string scaling_table(std::string_view what, std::span<const ScalingRow> rows, std::size_t width = kAnyWidth);
std::string scaling_csv(std::span<const ScalingRow> rows);
std::string scaling_json(std::string_view what, std::span<const ScalingRow> rows);  // "rooftile/scaling/1"
// Speedups above, below them the share of time that each thing limits (Figs 16b and 16c).
std::string scaling_svg(std::string_view what, std::span<const ScalingRow> rows);

}  // namespace rooftile
