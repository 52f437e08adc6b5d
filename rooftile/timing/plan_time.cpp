#include "rooftile/timing/plan_time.hpp"

#include <cmath>

namespace rooftile {
namespace {

Seconds gaps(const LaunchPlan& plan, const GpuRates& rates) {
  constexpr double kMicro = 1e-6;
  if (rates.family == KernelFamily::tensor) {
    return Seconds(static_cast<double>(plan.count()) * rates.constants[TensorConstant::start_cycles] /
                   rates.clock.value());
  }
  if (rates.family != KernelFamily::conv_simt) return Seconds(0);  // their forms count what follows a kernel
  return Seconds(static_cast<double>(plan.move_count) * rates.constants[ConvConstant::kernel_gap] * kMicro);
}

}  // namespace

Seconds plan_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit) {
  Seconds time = gaps(plan, rates);
  for (std::size_t i = 0; i < plan.move_count; ++i) time += move_time(plan.moves[i], rates);
  if (time >= limit) return time;
  return time + launch_time(plan.main, rates, limit - time).time;
}

Seconds choice_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit) {
  const bool old = rates.family == KernelFamily::gemm_simt && plan.main.product.old_kernel;
  return old ? old_choice_time(plan.main, rates) : plan_time(plan, rates, limit);
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
    const MemoryKernel& kernel = plan.moves[i];
    cases[Bottleneck::dram] += move_time(kernel, rates);
    cases[Bottleneck::l2] += move_traffic(kernel).at_l2() / (rates.l2 * rates.constants[ConvConstant::l2_efficiency]);
  }
  cases[Bottleneck::launch] = gaps(plan, rates);
  return cases;
}

}  // namespace rooftile
