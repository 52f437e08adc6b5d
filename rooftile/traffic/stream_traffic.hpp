// Bytes of a kernel that streams its tensors (docs/theory/streaming.md).
#pragma once

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/traffic/gpu_sizes.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

// CTAs that an SM holds at once: registers never limit kernels as simple as these.
double resident_ctas(const StreamKernel& kernel, const GpuSizes& sizes);

// What comes from DRAM: the share of what it moves that the L2 does not hold from before, and that of the rows at work
// that it does not hold from one pass to the next.
struct StreamMisses {
  double moved = 1, rows = 1;
};
StreamMisses stream_misses(const StreamKernel& kernel, const GpuSizes& sizes);  // `sizes`: of the family stream

Traffic stream_traffic(const StreamKernel& kernel, const StreamMisses& misses);

}  // namespace rooftile
