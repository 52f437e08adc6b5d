// A time with its interval, in one unit.
#pragma once

#include <optional>
#include <string>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// "285.5 ms (261 to 310)"; the time alone without an interval.
std::string print(Seconds time, const std::optional<Interval>& interval);

// Why interval_of() has nothing; empty where it has.
std::string why_no_interval(const Prediction& prediction);

// The reasons of the layers that take time and have none, those of the most time first; empty where all have one.
std::string why_layers_have_none(const Prediction& prediction);

}  // namespace rooftile
