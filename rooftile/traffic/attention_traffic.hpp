// Bytes of fused attention (docs/theory/attention.md).
#pragma once

#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/traffic/gpu_sizes.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

struct AttentionTraffic {
  Traffic attention;  // the kernel itself, with keys that other heads load again
  Traffic around;     // kernels that write the cache and rotate queries
  Traffic combine;    // results of split keys, stored and loaded

  Traffic total() const;
};

// `sizes` are of the family attention.
AttentionTraffic attention_traffic(const AttentionPlan& plan, const GpuSizes& sizes);

}  // namespace rooftile
