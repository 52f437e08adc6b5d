// The refined time of a kernel that streams its tensors, in closed form (docs/theory.md, "Streaming kernels").
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/machine.hpp"

namespace rooftile {

struct StreamKernelTime {
  Cases cases;      // compute, latency, l2, dram, and launch: its start and drain
  Bytes dram_load;  // what was not in the L2, and what later passes find there no more
  Bytes dram_store;
  Seconds time;
};

// `machine` is of the family stream. Without overhead of the call.
StreamKernelTime stream_kernel_time(const StreamKernel& kernel, const Machine& machine);

}  // namespace rooftile
