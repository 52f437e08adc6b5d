// What to know of the axes of a space before its results are believed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/metric.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// Lines for a report: axes that the method does not read, and axes that the cost model gives away (short latencies, and
// a fast clock where area alone counts) although costs are weighed. `weighed`: metrics that designs are ranked, traded
// or bounded by.
std::vector<std::string> axis_notes(const DesignSpace& space, const Evaluator& evaluator,
                                    std::span<const Metric> weighed);

}  // namespace rooftile
