#include "rooftile/explore/axis_notes.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rooftile {

std::vector<std::string> axis_notes(const DesignSpace& space, const Evaluator& evaluator,
                                    std::span<const Metric> weighed) {
  const bool costs = std::any_of(weighed.begin(), weighed.end(), [](Metric metric) { return as_cost(metric); });
  const bool beyond_area = std::any_of(weighed.begin(), weighed.end(),
                                       [](Metric metric) { return as_cost(metric) && metric != Metric::area; });
  std::vector<std::string_view> unread, free;
  for (const DesignAxis& axis : space.axes) {
    if (!evaluator.reads(axis.parameter)) unread.push_back(name_of(axis.parameter));
    const bool latency = row_of(axis.parameter).unit == FactUnit::cycles;
    // A clock takes power, and with it manufacturing cost and energy.
    const bool clock = axis.parameter == Parameter::clock && !beyond_area;
    if (costs && (latency || clock)) free.push_back(name_of(axis.parameter));
  }
  std::vector<std::string> notes;
  if (!unread.empty()) notes.push_back(fmt::format("no effect on times by this method: {}", fmt::join(unread, ", ")));
  if (!free.empty()) {
    notes.push_back(fmt::format("free in the cost model, so the fastest is always chosen: {}", fmt::join(free, ", ")));
  }
  return notes;
}

}  // namespace rooftile
