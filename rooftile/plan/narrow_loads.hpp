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
// bytes on NVIDIA's GPUs since Ampere. On an H100 GPT-2's head runs at 96 TFLOP/s forward, 141 and 152 backward, and
// pointwise convolutions of 14 x 14 maps at 132 to 179 (data/measurements/h100-sxm5-80gb/network_kernels.csv); A100 is
// taken for as fast per SM. On GA10x CUTLASS's profiles show 1 / 1.4 and 1 / 2.4 of the rate (docs/theory.md).
double narrow_load_share(std::initializer_list<double> contiguous, Bytes element, const Gpu& gpu);

}  // namespace rooftile
