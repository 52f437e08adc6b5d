// The roofline as a time: arithmetic at the peak rate or the bytes that cannot be avoided at the DRAM bandwidth,
// whichever takes longer. A lower bound for a kernel of the textbook algorithm, and the yardstick of better methods.
#pragma once

#include <optional>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {

// What multiplies matrices of that type on a GPU: tensor cores where it has them for the type, else its ordinary units.
// Where these are slower than FP32 or missing, fp16, bf16 and tf32 are only stored: libraries compute in FP32.
// None: nothing runs the type, or the catalogue has no number.
std::optional<Peak> matrix_unit(DType precision, const Gpu& gpu);

// The type that matrix_unit() computes in.
DType computed_in(DType precision, const Gpu& gpu);

// The type that kernels are asked for: the same where it is as wide, so that TF32 is FP32 where the GPU lacks it.
DType asked_for(DType precision, const Gpu& gpu);

// The rate of that unit.
std::optional<FlopsPerSecond> peak_of(DType precision, const Gpu& gpu);

struct RooflineTiming {
  TimeBounds cases;  // compute and dram
  Bottleneck bottleneck = Bottleneck::compute;
  Seconds time;
};

RooflineTiming roofline_time(const OperandBytes& bytes, Flops flops, FlopsPerSecond peak, const Gpu& gpu);

}  // namespace rooftile
