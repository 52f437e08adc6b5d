// The time of fused attention in closed form (docs/theory/attention.md).
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/gpu_rates.hpp"
#include "rooftile/traffic/attention_traffic.hpp"

namespace rooftile {

struct AttentionTime {
  TimeBounds cases;  // compute, latency (CTAs that start or wait), l2, dram, and launch: kernels beside the first
  AttentionTraffic traffic;
  Seconds time;
};

// The constant that a rate is.
AttentionConstant constant_of(AttentionRate rate);

// Of the time that exponentials take.
AttentionConstant softmax_of(const AttentionPlan& plan);

// `rates` is of the family attention, at the peak of attention_precision(). Without overhead of the call.
AttentionTime attention_time(const AttentionPlan& plan, const GpuRates& rates);

}  // namespace rooftile
