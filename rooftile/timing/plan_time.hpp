// The time of a plan: its launches one after another, and what limits them.
#pragma once

#include "rooftile/plan/launch.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

// All launches and the gaps between them, without the overhead of the call; the launch that multiplies apart.
struct PlanTime {
  Seconds time;
  LaunchTime main;
};

// `limit` and `terms` as for launch_time().
PlanTime timed_plan(const LaunchPlan& plan, const GpuRates& rates, Seconds limit, const ProductTerms* terms);
Seconds plan_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit = kNoLimit);

// Of it, what the kernels before and after the one that multiplies take, and the gaps.
Seconds time_around(const LaunchPlan& plan, const GpuRates& rates);

// What a library goes by where several plans would do: their times, but for cuBLAS up to Pascal, whose choice is not
// the fastest where DRAM limits. `limit` as for launch_time().
Seconds choice_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit = kNoLimit);

// Whether it is not the time that the library goes by.
bool chooses_by_estimate(const LaunchPlan& plan, const GpuRates& rates);

// A call of a framework: what it adds before or after its kernels, and what it does beside them.
Seconds call_time(Seconds kernels, Seconds overhead, Seconds floor);

// What each thing would take if only it limited the plan: sums over the launches. `launch` is launch_time() of the one
// that multiplies; Bottleneck::launch holds the gaps.
TimeBounds plan_cases(const LaunchPlan& plan, const GpuRates& rates, const LaunchTime& launch);

}  // namespace rooftile
