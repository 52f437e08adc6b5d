// Which elements of a result are compared with a reference, and how far they may be off.
#pragma once

#include <cstdint>
#include <vector>

#include "rooftile/workload/dtype.hpp"

namespace rooftile::measure {

// The largest ||out - reference|| / ||reference|| that rounding explains: operands in this precision, sums in fp32.
// Winograd, FFT and sums over millions of elements (gradients of weights) lose a digit or two of fp32, whose limit lies
// below the error of uniform operands rounded to tf32 (2^-11 / sqrt(7) each, 2.6e-4 together); integers are exact.
double error_limit(DType precision);

// Positions among `count` elements, without repeats and ascending: all of them where there are no more than `wanted`,
// else the first, the last and others spread at random, the same at each call.
std::vector<std::int64_t> sampled_positions(std::int64_t count, std::int64_t wanted);

}  // namespace rooftile::measure
