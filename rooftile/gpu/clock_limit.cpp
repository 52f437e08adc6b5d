#include "rooftile/gpu/clock_limit.hpp"

#include <algorithm>
#include <cstddef>

namespace rooftile {

Gpu with_clock_limit(Gpu gpu, Hertz most) {
  const auto factor = [&](Hertz clock) { return std::min(1.0, most / clock); };
  const double core = factor(gpu.clock), tensor = factor(gpu.tensor_clock.value_or(gpu.clock));
  for (std::size_t i = 0; i < kPeaks; ++i) {
    gpu.peaks[i] *= i >= static_cast<std::size_t>(Peak::tensor_fp32) ? tensor : core;
  }
  if (gpu.narrow_sums_peak) *gpu.narrow_sums_peak *= tensor;
  gpu.smem_load_bandwidth *= core;
  gpu.smem_store_bandwidth *= core;
  for (MemoryLevel& level : gpu.levels) {
    if (level.name == "L1" || level.name == "L2") level.bandwidth *= core;
  }
  gpu.clock = std::min(gpu.clock, most);
  for (auto* other : {&gpu.base_clock, &gpu.sustained_clock, &gpu.product_clock, &gpu.tensor_clock}) {
    if (*other) *other = std::min(**other, most);
  }
  return gpu;
}

}  // namespace rooftile
