// The time of fused attention in closed form (docs/theory.md, "Attention").
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/machine.hpp"

namespace rooftile {

struct AttentionTime {
  Cases cases;      // compute, latency (CTAs that start or wait), l2, dram, and launch: kernels beside the first
  Bytes dram_load;  // with what other heads load again
  Bytes dram_store;
  Seconds time;
};

// The constant that a rate is.
AttentionConstant constant_of(AttentionRate rate);

// `machine` is of the family attention, at the peak of attention_precision(). Without overhead of the call.
AttentionTime attention_time(const AttentionPlan& plan, const Machine& machine);

}  // namespace rooftile
