// The refined time of a kernel that streams its tensors, in closed form (docs/theory/streaming.md).
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/gpu_rates.hpp"
#include "rooftile/traffic/stream_traffic.hpp"

namespace rooftile {

struct StreamKernelTime {
  TimeBounds cases;  // compute, latency, l2, dram, and launch: its start and drain
  Traffic traffic;
  Seconds time;
};

// `rates` is of the family stream. Without overhead of the call.
StreamKernelTime stream_kernel_time(const StreamKernel& kernel, const GpuRates& rates);

}  // namespace rooftile
