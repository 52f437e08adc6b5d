// The refined time model: what one kernel launch takes on a GPU, in closed form (docs/theory.md, "The method
// rooftile").
#pragma once

#include <optional>

#include "rooftile/base/units.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/gpu_rates.hpp"
#include "rooftile/timing/product_terms.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {

// The time if only one thing limited the launch, and the time they give together. Without launch overhead.
struct LaunchTime {
  Seconds compute = {};  // multiply-accumulates of the busiest SM at the tile's issue efficiency
  Seconds latency = {};  // the same where too few warps are resident to hide latencies
  Seconds l1 = {};       // what SMs draw, where that was found to limit
  Seconds l2 = {}, dram = {};
  Seconds l2_aside = {};  // bytes of the L2 that do not overlap with the rest, or that DRAM always takes longer for
  Seconds power = {};     // energy over board power
  Seconds atomics = {};   // additions into memory; what adding up a split takes whatever its size
  Seconds time = {};
  std::optional<DramBytes> moved = {};  // by DRAM, where the form counts that
};

// By the form of the rates's kernel family. A time of `limit` or more may come back as kNoLimit: whoever looks for
// the shortest need not know it better. `terms`, unless null, are those of the launch's product; they change nothing.
LaunchTime launch_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit,
                       const ProductTerms* terms = nullptr);

// Share of an SM's multiply-accumulate rate that its issue slots leave to a launch of gemm_simt.
double issue_share(const Launch& launch, const GpuRates& rates);

// What cuBLAS up to Pascal seems to take a launch of gemm_simt for when it chooses among its kernels; `limit` as above.
Seconds old_choice_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit);

// A kernel that only moves bytes, of conv_simt, conv_tensor or conv_miopen.
LaunchTime move_time(const MemoryKernel& kernel, const GpuRates& rates);
Seconds move_seconds(const MemoryKernel& kernel, const GpuRates& rates);  // its time alone

// The forms, one file each.
LaunchTime conv_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit);
LaunchTime conv_time(const Launch& launch, Bytes l2_load, Bytes dram_load, const GpuRates& rates, Seconds limit);
LaunchTime tensor_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit,
                            const ProductTerms* terms = nullptr);
LaunchTime simt_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit);
LaunchTime miopen_time(const Launch& launch, const GpuRates& rates, Seconds limit = kNoLimit);

}  // namespace rooftile
