#include <gtest/gtest.h>

#include "rooftile/timing/plan_time.hpp"

namespace rooftile {
namespace {

// Round numbers: 10 CUs of 1e9 MAC/s at 1 GHz, an L2 of 1e12 B/s, DRAM of 1e9 B/s. Efficiencies are 1, all else costs
// nothing.
GpuRates miopen_rates() {
  GpuRates rates;
  rates.family = KernelFamily::conv_miopen;
  rates.sms = 10;
  rates.sm_peak = FlopsPerSecond(2 * 1e9);
  rates.clock = rates.base_clock = Hertz(1e9);
  rates.l2 = BytesPerSecond(1e12);
  rates.l2_capacity = Bytes(1e9);
  rates.l2_latency = Cycles(100);
  rates.dram = BytesPerSecond(1e9);
  for (double& value : rates.constants.values) value = 0;
  for (const MiopenConstant share :
       {MiopenConstant::matrix_efficiency, MiopenConstant::blas_efficiency, MiopenConstant::draw,
        MiopenConstant::dram_efficiency, MiopenConstant::transpose_efficiency, MiopenConstant::unfold_efficiency}) {
    rates.constants[share] = 1;
  }
  return rates;
}

// 15 CTAs of 10x10x100, one resident on a CU.
LaunchPlan miopen_plan() {
  LaunchPlan plan;
  Launch& launch = plan.main;
  launch.ctas = 15;
  launch.macs_per_step = 100;
  launch.steps = 100;
  launch.product = {.m = 30, .n = 50, .k = 100, .tile_m = 10, .tile_n = 10, .element = Bytes(1)};
  return plan;
}

TEST(MiopenTime, CountsTheCtasOfTheBusiestCu) {
  GpuRates rates = miopen_rates();
  EXPECT_NEAR(plan_time(miopen_plan(), rates).value(), 20e-6, 1e-9);
  rates.constants[MiopenConstant::wave_overlap] = 1;
  EXPECT_NEAR(plan_time(miopen_plan(), rates).value(), 15e-6, 1e-9);
}

TEST(MiopenTime, ElementByElementTakesALoadEach) {
  GpuRates rates = miopen_rates();
  rates.constants[MiopenConstant::gather] = 1;
  LaunchPlan plan = miopen_plan();
  const Seconds wide = plan_time(plan, rates);
  plan.main.miopen.row_loads = plan.main.miopen.column_loads = 1;
  // 20 elements in each of 100 steps, four a clock, two CTAs.
  EXPECT_NEAR((plan_time(plan, rates) - wide).value(), 2 * 20 * 100 / 4 * 1e-9, 1e-10);
}

TEST(MiopenTime, FurtherKernelsStartAnew) {
  GpuRates rates = miopen_rates();
  rates.constants[MiopenConstant::start] = 3;
  rates.constants[MiopenConstant::kernel_gap] = 8;
  LaunchPlan plan = miopen_plan();
  const Seconds bare = plan_time(plan, miopen_rates());
  EXPECT_NEAR((plan_time(plan, rates) - bare).value(), 3e-6, 1e-12);
  plan.add_before(Bytes(1000), Bytes(1000));  // 2 us
  EXPECT_NEAR((plan_time(plan, rates) - bare).value(), 13e-6, 1e-12);
  plan.main.miopen.kernels = 4;
  EXPECT_NEAR((plan_time(plan, rates) - bare).value(), 37e-6, 1e-12);
}

TEST(MiopenTime, ALoopOverImagesRepeatsAllOfIt) {
  GpuRates rates = miopen_rates();
  LaunchPlan plan = miopen_plan();
  plan.main.miopen.blas = true;
  plan.main.miopen.efficiency = MiopenConstant::blas_efficiency;
  const Seconds once = plan_time(plan, rates);
  plan.images = 8;
  EXPECT_NEAR(plan_time(plan, rates) / once, 8, 1e-9);
  plan.add_before(Bytes(1000), Bytes(1000));
  plan.moves[0].unfolds = true;
  rates.constants[MiopenConstant::blas_call] = 20;
  rates.constants[MiopenConstant::blas_gap] = 5;
  EXPECT_NEAR(plan_time(plan, rates).value(), 20e-6 + 8 * (2 * 5e-6 + 2e-6 + once.value()), 1e-11);
}

TEST(MiopenTime, NoFasterThanDram) {
  const GpuRates rates = miopen_rates();
  LaunchPlan plan = miopen_plan();
  plan.main.dram_load = plan.main.dram_store = Bytes(1e6);
  EXPECT_GE(plan_time(plan, rates).value(), 2e-3);
}

}  // namespace
}  // namespace rooftile
