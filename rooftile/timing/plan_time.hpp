// The time of a plan: its launches one after another, and what limits them.
#pragma once

#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

// All launches and the gaps between them, without the overhead of the call; `limit` as for launch_time().
Seconds plan_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit = kNoLimit);

// What a library goes by where several plans would do: their times, but for cuBLAS up to Pascal, whose choice is not
// the fastest where DRAM limits. `limit` as for launch_time().
Seconds choice_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit = kNoLimit);

// A call of a framework: what it adds before or after its kernels, and what it does beside them.
Seconds call_time(Seconds kernels, Seconds overhead, Seconds floor);

// What each thing would take if only it limited the plan: sums over the launches. `launch` holds the gaps.
TimeBounds plan_cases(const LaunchPlan& plan, const GpuRates& rates);

}  // namespace rooftile
