// Time of an operator that streams its tensors: bytes against DRAM bandwidth, arithmetic against the FP32 peak, and at
// least one kernel launch.
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {

struct StreamTiming {
  TimeBounds cases;  // dram, compute and launch
  Bottleneck bottleneck = Bottleneck::dram;
  Seconds time;
};

StreamTiming stream_time(const OperandBytes& bytes, Flops flops, const Gpu& gpu);

}  // namespace rooftile
