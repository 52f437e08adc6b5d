// The best designs of a space, and what constraints and resources are worth there, as text, JSON, CSV and SVG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/explore/optimise/optimise.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct OptimumReport {
  const DesignSpace& space;
  const Optimum& optimum;
  std::string method;
  std::uint64_t seed = 1;
  bool has_costs = false;          // costs are known of these designs
  std::vector<std::string> notes;  // what to know before it is believed (axis_notes())
};

// One objective: the best beside the GPU as it is, each constraint with what it would give if it were looser, each axis
// with what one step changes. Several: designs of the front, with what each step along it trades.
std::string optimum_table(const OptimumReport& report, std::size_t width = kAnyWidth);

// `rooftile/optimum/1` (data/schema/optimum-1.json).
std::string optimum_json(const OptimumReport& report);

// One row a design: rank, axes and metrics in base units, speedup, bottleneck, the slack of each constraint.
std::string optimum_csv(const OptimumReport& report);

// The front of the first two objectives, beside the GPU as it is.
std::string optimum_svg(const OptimumReport& report);

// What designs are measured by besides their axes: time, and costs where they are known.
std::vector<Metric> outcome_metrics(const OptimumReport& report);

}  // namespace rooftile
