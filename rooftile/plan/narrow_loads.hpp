// Products whose rows do not start at multiples of 16 bytes: GPT-2's 50,257 words, windows of 7 x 7, maps of 14 x 14.
#pragma once

#include <initializer_list>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// What is left of the tensor cores' rate where a thread loads as many elements at once as divide all of `contiguous`,
// the lengths of rows in memory; 1 where that is 16 bytes. Rows of one element are a vector, whose elements lie side by
// side. Libraries' kernels for narrow loads (cutlass_80_…_align2, cutlass_75_…_align1) use none of the faster
// instructions of Hopper and of Blackwell in data centres; loads of 2 bytes are not asynchronous. Of elements of 2
// bytes, where the catalogue has a rate (SmLimits::pair_load_macs).
double narrow_load_share(std::initializer_list<double> contiguous, Bytes element, const Gpu& gpu);

}  // namespace rooftile
