#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

Seconds gaps(const LaunchPlan& plan, const Machine& machine) {
  constexpr double kMicro = 1e-6;
  return Seconds(static_cast<double>(plan.count - 1) * machine.constants[Constant::kernel_gap] * kMicro);
}

}  // namespace

Seconds plan_time(const LaunchPlan& plan, const Machine& machine) {
  Seconds time = gaps(plan, machine);
  for (std::size_t i = 0; i < plan.count; ++i) time += launch_time(plan.launches[i], machine).time;
  return time;
}

Cases plan_cases(const LaunchPlan& plan, const Machine& machine) {
  Cases cases;
  for (std::size_t i = 0; i < plan.count; ++i) {
    const LaunchTime launch = launch_time(plan.launches[i], machine);
    cases[Bottleneck::compute] += launch.compute;
    cases[Bottleneck::latency] += launch.latency;
    cases[Bottleneck::l2] += launch.l2 + launch.atomics;
    cases[Bottleneck::dram] += launch.dram;
    cases[Bottleneck::power] += launch.power;
  }
  cases[Bottleneck::launch] = gaps(plan, machine);
  return cases;
}

}  // namespace rooftile
