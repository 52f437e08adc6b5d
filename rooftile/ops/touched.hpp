// How many distinct input positions the windows of a convolution touch along one axis.
#pragma once

#include <cstdint>

#include "rooftile/workload/op.hpp"

namespace rooftile {

// Positions inside the unpadded input that at least one of `outputs` windows of a direct convolution touches. Exact, in
// a time that does not grow with any of the numbers. The axis must pass check(); its padding may be negative.
double touched_positions(const ConvAxis& axis, std::int64_t outputs);

}  // namespace rooftile
