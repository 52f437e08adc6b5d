// What a framework's calls take on a machine where nobody measured them.
#pragma once

#include <vector>

#include "rooftile/calibration/calibration.hpp"

namespace rooftile {

// For each framework and call, and for each framework whatever its call, the middle of `measured`, for any GPU, with
// the range that they lie in.
std::vector<Harness> middle_harnesses(const std::vector<Harness>& measured);

// The middle of those of the other GPUs that `own`'s framework ran on; its own where there are none.
Harness foreign_harness(const Harness& own, const std::vector<Harness>& measured);

}  // namespace rooftile
