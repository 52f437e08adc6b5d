#include "rooftile/timing/plan_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/plan/gemm_kernels.hpp"

namespace rooftile {
namespace {

constexpr double kMicro = 1e-6;

// A loop over images waits for each kernel where it unfolds them, else its products queue up.
Seconds miopen_gaps(const LaunchPlan& plan, const Constants& constants) {
  const auto moves = static_cast<double>(plan.move_count);
  const double further = moves + plan.main.miopen.kernels - 1;
  if (!plan.main.miopen.blas) {
    return Seconds(kMicro * (constants[MiopenConstant::start] + further * constants[MiopenConstant::kernel_gap]));
  }
  const double looped = plan.unfolds() ? plan.images * (1 + moves) * constants[MiopenConstant::blas_gap]
                                       : plan.images * constants[MiopenConstant::start];
  const double once = plan.unfolds() ? 0 : moves * constants[MiopenConstant::kernel_gap];
  return Seconds(kMicro * (constants[MiopenConstant::blas_call] + looped + once));
}

Seconds gaps(const LaunchPlan& plan, const GpuRates& rates) {
  if (rates.family == KernelFamily::conv_miopen) return miopen_gaps(plan, rates.constants);
  if (on_tensor_cores(rates.family)) {
    const auto moves = static_cast<double>(plan.move_count);
    return Cycles(rates.constants[TensorConstant::start_cycles] +
                  moves * rates.constants[TensorConstant::convert_cycles]) /
           rates.clock;
  }
  if (rates.family != KernelFamily::conv_simt) return Seconds(0);  // their forms count what follows a kernel
  return Seconds(static_cast<double>(plan.move_count) * rates.constants[ConvConstant::kernel_gap] * kMicro);
}

// One product of a batch, by itself.
Launch one_of(Launch launch) {
  const double share = 1 / launch.product.batch;
  launch.ctas *= share;
  for (Bytes* bytes : {&launch.dram_load, &launch.dram_store, &launch.l2_load, &launch.l2_store}) *bytes *= share;
  launch.product.a_bytes *= share;
  launch.product.b_bytes *= share;
  launch.product.batch = 1;
  return launch;
}

}  // namespace

Seconds time_around(const LaunchPlan& plan, const GpuRates& rates) {
  Seconds time = gaps(plan, rates);
  for (std::size_t i = 0; i < plan.move_count; ++i) time += move_seconds(plan.moves[i], rates) * plan.images;
  return time;
}

PlanTime timed_plan(const LaunchPlan& plan, const GpuRates& rates, Seconds limit, const ProductTerms* terms) {
  const Seconds around = terms != nullptr ? terms->around : time_around(plan, rates);
  if (around >= limit) return {.time = around, .main = {}};
  PlanTime result{.time = {}, .main = launch_time(plan.main, rates, (limit - around) / plan.images, terms)};
  result.time = around + result.main.time * plan.images;
  return result;
}

Seconds plan_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit) {
  return timed_plan(plan, rates, limit, nullptr).time;
}

bool chooses_by_estimate(const LaunchPlan& plan, const GpuRates& rates) {
  const Launch::Product& product = plan.main.product;
  if (product.chosen_alone) return true;
  return rates.family == KernelFamily::gemm_simt && product.old_kernel &&
         std::min(product.m, product.n) > kMostVectorsOfGemm;  // its estimate is not for so few
}

Seconds choice_time(const LaunchPlan& plan, const GpuRates& rates, Seconds limit) {
  if (!chooses_by_estimate(plan, rates)) return plan_time(plan, rates, limit);
  if (plan.main.product.chosen_alone) return launch_time(one_of(plan.main), rates, limit).time;
  return old_choice_time(plan.main, rates, limit);
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

TimeBounds plan_cases(const LaunchPlan& plan, const GpuRates& rates, const LaunchTime& launch) {
  TimeBounds cases;
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
  for (Seconds& seconds : cases.by) seconds *= plan.images;
  cases[Bottleneck::launch] = gaps(plan, rates);
  return cases;
}

}  // namespace rooftile
