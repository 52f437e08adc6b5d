// Bytes of a kernel that streams its tensors (docs/theory.md, "Streaming kernels").
#pragma once

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/traffic/gpu_sizes.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

// CTAs that an SM holds at once: registers never limit kernels as simple as these.
double resident_ctas(const StreamKernel& kernel, const GpuSizes& sizes);

// Share of what it moves that the L2 does not hold from before.
double missed_share(const StreamKernel& kernel, const GpuSizes& sizes);

// Share of the rows at work that the L2 does not hold from one pass to the next: they come from DRAM again.
double lost_rows_share(const StreamKernel& kernel, const GpuSizes& sizes);

// `sizes` are of the family stream.
Traffic stream_traffic(const StreamKernel& kernel, const GpuSizes& sizes);

}  // namespace rooftile
