#include "rooftile/timing/plan_time.hpp"

#include <cmath>

namespace rooftile {
namespace {

Seconds gaps(const LaunchPlan& plan, const GpuRates& rates) {
  constexpr double kMicro = 1e-6;
  if (on_tensor_cores(rates.family)) {
    const auto moves = static_cast<double>(plan.move_count);
    return Cycles(rates.constants[TensorConstant::start_cycles] +
                  moves * rates.constants[TensorConstant::convert_cycles]) /
           rates.clock;
  }
  if (rates.family != KernelFamily::conv_simt) return Seconds(0);  // their forms count what follows a kernel
  return Seconds(static_cast<double>(plan.move_count) * rates.constants[ConvConstant::kernel_gap] * kMicro);
}

}  // namespace

Seconds plan_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit) {
  Seconds time = gaps(plan, rates);
  for (std::size_t i = 0; i < plan.move_count; ++i) time += move_time(plan.moves[i], rates).time;
  if (time >= limit) return time;
  return time + launch_time(plan.main, rates, limit - time).time;
}

Seconds call_time(Seconds kernels, Seconds overhead, Seconds floor) {
  const Seconds sum = kernels + overhead;
  if (floor <= Seconds(0)) return sum;
  // The 16-norm: the longer of the two, and a little more where they are close.
  const double ratio = floor / sum;
  const double fourth = ratio * ratio * ratio * ratio;
  const double sixteenth = fourth * fourth * fourth * fourth;
  if (!(sixteenth < 1e300)) return floor;
  return sum * std::sqrt(std::sqrt(std::sqrt(std::sqrt(1 + sixteenth))));
}

TimeBounds plan_cases(const LaunchPlan& plan, const GpuRates& rates) {
  TimeBounds cases;
  const LaunchTime launch = launch_time(plan.main, rates);
  cases[Bottleneck::compute] = launch.compute;
  cases[Bottleneck::latency] = launch.latency + launch.atomics;
  cases[Bottleneck::l1] = launch.l1;
  cases[Bottleneck::l2] = launch.l2 + launch.l2_aside;
  cases[Bottleneck::dram] = launch.dram;
  cases[Bottleneck::power] = launch.power;
  for (std::size_t i = 0; i < plan.move_count; ++i) {
    const LaunchTime move = move_time(plan.moves[i], rates);
    cases[Bottleneck::dram] += move.dram;
    cases[Bottleneck::l2] += move.l2;
  }
  cases[Bottleneck::launch] = gaps(plan, rates);
  return cases;
}

}  // namespace rooftile
