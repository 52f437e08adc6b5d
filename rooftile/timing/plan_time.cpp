#include "rooftile/timing/plan_time.hpp"

#include <cmath>

namespace rooftile {
namespace {

Seconds gaps(const LaunchPlan& plan, const Machine& machine) {
  constexpr double kMicro = 1e-6;
  if (machine.family == KernelFamily::tensor) {
    return Seconds(static_cast<double>(plan.count()) * machine.constants[TensorConstant::start_cycles] / machine.clock);
  }
  if (machine.family != KernelFamily::conv_simt) return Seconds(0);  // their forms count what follows a kernel
  return Seconds(static_cast<double>(plan.stream_count) * machine.constants[ConvConstant::kernel_gap] * kMicro);
}

}  // namespace

Seconds plan_time(const LaunchPlan& plan, const Machine& machine, Seconds limit) {
  Seconds time = gaps(plan, machine);
  for (std::size_t i = 0; i < plan.stream_count; ++i) time += stream_time(plan.streams[i], machine);
  if (time >= limit) return time;
  return time + launch_time(plan.main, machine, limit - time).time;
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

Cases plan_cases(const LaunchPlan& plan, const Machine& machine) {
  Cases cases;
  const LaunchTime launch = launch_time(plan.main, machine);
  cases[Bottleneck::compute] = launch.compute;
  cases[Bottleneck::latency] = launch.latency;
  cases[Bottleneck::l2] = launch.l2 + launch.atomics;
  cases[Bottleneck::dram] = launch.dram;
  cases[Bottleneck::power] = launch.power;
  for (std::size_t i = 0; i < plan.stream_count; ++i) {
    cases[Bottleneck::dram] += stream_time(plan.streams[i], machine);
  }
  cases[Bottleneck::launch] = gaps(plan, machine);
  return cases;
}

}  // namespace rooftile
