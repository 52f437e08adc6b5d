// Factors of a calibration that say nothing of the GPUs at hand.
#pragma once

#include <string>
#include <vector>

#include "rooftile/calibration/calibration.hpp"

namespace rooftile {

// A line that says so where a calibration has factors, but of none of these GPUs (ids); else empty.
std::string unused_factors(const Calibration& calibration, const std::vector<std::string>& gpus);

}  // namespace rooftile
