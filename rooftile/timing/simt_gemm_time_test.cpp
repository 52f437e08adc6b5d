#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/candidates.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/timing/test_micros.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

// One SM, 1e9 MAC/s, memories that cost nothing, no power limit: each test makes one thing cost.
GpuRates plain_rates() {
  GpuRates rates;
  rates.family = KernelFamily::gemm_simt;
  rates.sm_peak = FlopsPerSecond(2 * 1e9);
  rates.clock = Hertz(1e9);
  rates.l2 = rates.dram = BytesPerSecond(1e30);
  rates.l2_capacity = Bytes(1e12);
  rates.constants = unfitted_constants(KernelFamily::gemm_simt);
  rates.constants[Constant::efficiency_128x128] = 1;
  rates.constants[Constant::prologue] = 0;
  rates.constants[Constant::latency_warps] = 0;
  rates.constants[Constant::l2_efficiency] = 1;
  rates.constants[Constant::dram_efficiency] = 1;
  rates.constants[Constant::bias_passes] = 1.5;
  rates.constants[Constant::split_overhead] = 0;
  return rates;
}

// 128 x 128 x 1000, one CTA of 8 warps.
Launch plain_launch() {
  Launch launch;
  launch.product = {.m = 128, .n = 128, .k = 1000, .tile_m = 128, .tile_n = 128, .tile_k = 8};
  launch.macs_per_step = 128.0 * 128;
  launch.ctas = 1;
  launch.steps = 1000;
  launch.l2_load = Bytes(1000 * (128 + 128) * 4);
  launch.warps = 8;
  return launch;
}

TEST(SimtGemmTime, MultiplyAccumulates) {
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), plain_rates()).time), 16384, 1e-6);  // 128 x 128 x 1000 / 1e9
}

TEST(SimtGemmTime, EfficiencyAndPrologue) {
  GpuRates rates = plain_rates();
  rates.constants[Constant::efficiency_128x128] = 0.5;
  rates.constants[Constant::prologue] = 24;
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), 16.384 * 1024 * 2, 1e-6);
}

TEST(SimtGemmTime, LatencyOfFewWarps) {
  GpuRates rates = plain_rates();
  rates.constants[Constant::latency_warps] = 8;  // one CTA is as many as it takes: (1 + 1)^(1/4)
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), 16384 * std::pow(2, 0.25), 1e-6);
}

TEST(SimtGemmTime, LastRoundCountsWhole) {
  Launch launch = plain_launch();
  launch.product.m = 5 * 128;
  launch.ctas = 5;
  launch.resident = 2;
  GpuRates rates = plain_rates();
  rates.sms = 2;  // a full wave of 4: 2 on each SM; then 1
  EXPECT_NEAR(micros(simt_gemm_time(launch, rates).time), 3 * 16384, 1e-6);
}

TEST(SimtGemmTime, L2LoadsOfBothPanels) {
  GpuRates rates = plain_rates();
  rates.sm_peak = FlopsPerSecond(2 * 1e30);
  rates.l2 = BytesPerSecond(1e9);
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), 256.0 * 1000 * 4 / 1e3, 1e-6);
}

TEST(SimtGemmTime, DramMovesEachOperandOnceAndTheBiasAgain) {
  GpuRates rates = plain_rates();
  rates.sm_peak = FlopsPerSecond(2 * 1e30);
  rates.dram = BytesPerSecond(1e9);
  Launch launch = plain_launch();
  const double operands = 2 * 128 * 1000 * 4, output = 128 * 128 * 4;
  EXPECT_NEAR(micros(simt_gemm_time(launch, rates).time), (operands + output) / 1e3, 1e-3);
  launch.product.bias = true;
  EXPECT_NEAR(micros(simt_gemm_time(launch, rates).time), (operands + 1.5 * output) / 1e3, 1e-3);
}

TEST(SimtGemmTime, LinesPartlyUsedComeForEverySector) {
  GpuRates rates = plain_rates();
  rates.sm_peak = FlopsPerSecond(2 * 1e30);
  rates.dram = BytesPerSecond(1e9);
  rates.l2_capacity = Bytes(128 * 128);       // the lines of A in flight fill it,
  rates.constants[Constant::line_share] = 1;  // so half of the three further loads,
  rates.constants[Constant::row_major_lines] = 1;
  rates.constants[Constant::line_depth] = 0;  // at any k
  rates.constants[Constant::drift] = 1e30;
  const double operand = 128 * 1000 * 4, output = 128 * 128 * 4;
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), (operand * 2.5 + operand + output) / 1e3, 1e-3);
}

TEST(SimtGemmTime, SplitAddsOverheadAndItsParts) {
  GpuRates rates = plain_rates();
  Launch launch = plain_launch();
  launch.product.split = 2;
  launch.ctas = 2;
  launch.steps = 500;
  launch.resident = 2;
  rates.constants[Constant::split_overhead] = 7;
  EXPECT_NEAR(micros(simt_gemm_time(launch, rates).time), 16384 + 7, 1e-6);
  rates.l2 = BytesPerSecond(1e9);
  const double parts = 2 * 4 * 128 * 128 * 2 / 1e3;
  EXPECT_NEAR(micros(simt_gemm_time(launch, rates).time), 16384 + 7 + parts, 1);
}

// 30 W and a tenth of the board's power go elsewhere, before any fit.
double board_watts(double for_lanes) { return (for_lanes + 30) / 0.9; }

TEST(SimtGemmTime, PowerCapHalvesTheClockOfLongKernels) {
  GpuRates rates = plain_rates();
  rates.clock = Hertz(3e9);                      // twice the clock that energies are stated for
  rates.constants[Constant::mac_energy] = 4e11;  // pJ: all lanes would take 2 x 0.4 J x 1e9 / s
  rates.power = Watts(board_watts(0.8e9 / 4));   // a quarter of it: half of the clock at half of the voltage
  rates.constants[Constant::power_window] = 20;
  const double long_time = micros(simt_gemm_time(plain_launch(), rates).time);
  EXPECT_NEAR(long_time, 2 * 16384, 0.02 * long_time);  // the clock has fallen almost from the start
  rates.constants[Constant::power_window] = 5e9;
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), 16384, 1);  // not yet
}

TEST(SimtGemmTime, WhatWaitsForMemoryTakesLessPower) {
  GpuRates rates = plain_rates();
  rates.clock = Hertz(1.5e9);
  rates.constants[Constant::mac_energy] = 4e11;
  rates.constants[Constant::power_window] = 20;
  rates.power = Watts(board_watts(0.4e9 / 4));
  rates.dram = BytesPerSecond(1e6);
  const double waiting = micros(simt_gemm_time(plain_launch(), rates).time);
  rates.power = Watts(0);
  EXPECT_NEAR(waiting, micros(simt_gemm_time(plain_launch(), rates).time), 1e-3 * waiting);
}

TEST(SimtGemmTime, LanesForEveryIssueSlotLeaveNoneForOtherInstructions) {
  GpuRates rates = plain_rates();
  rates.clock = Hertz(rates.macs_per_second() / 64);
  const double half = micros(simt_gemm_time(plain_launch(), rates).time);
  rates.clock = Hertz(rates.macs_per_second() / 128);
  EXPECT_NEAR(micros(simt_gemm_time(plain_launch(), rates).time), 1.25 * half, 1e-6 * half);
  Launch old = plain_launch();
  old.product.old_kernel = true;
  old.product.efficiency = Constant::efficiency_128x128;
  rates.constants[Constant::old_prologue] = 0;
  EXPECT_NEAR(micros(simt_gemm_time(old, rates).time), half, 1e-6 * half)
      << "these chips start two instructions a clock";
}

Seconds least_time(const Gemm& gemm, const Gpu& gpu, const GpuRates& rates, const PlanOptions& options = {}) {
  Seconds least(std::numeric_limits<double>::infinity());
  const OpShape op{.gemm = im2col(gemm), .family = KernelFamily::gemm_simt};
  each_plan(op, gpu, options, [&](const LaunchPlan& plan) { least = std::min(least, plan_time(plan, rates)); });
  return least;
}

struct Modelled {
  Gpu gpu;
  GpuRates rates;
};

Modelled modelled(const char* name) {
  const Gpu gpu = find_gpu(name).value();
  return {gpu,
          gpu_rates(gpu, KernelFamily::gemm_simt, gpu.peak(Peak::fp32), unfitted_constants(KernelFamily::gemm_simt))};
}

TEST(SimtGemmTime, NeverFasterThanThePeak) {
  EXPECT_TRUE(rc::check([]() {
    const Modelled on = modelled(*rc::gen::element("p4", "t4", "v100-pcie-32gb", "a100-pcie-40gb"));
    const Gemm gemm{.m = *rc::gen::inRange(1, 5000),
                    .n = *rc::gen::inRange(1, 5000),
                    .k = *rc::gen::inRange(1, 20000),
                    .trans_b = *rc::gen::arbitrary<bool>()};
    const double macs = static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
    const double peak = macs / (on.rates.macs_per_second() * on.rates.sms);
    RC_ASSERT(least_time(gemm, on.gpu, on.rates).value() >= peak);
  }));
}

// Of one kernel; a choice of splits is wider at a larger k.
TEST(SimtGemmTime, TwiceTheWorkTakesLonger) {
  EXPECT_TRUE(rc::check([]() {
    const Modelled on = modelled(*rc::gen::element("p4", "t4", "v100-pcie-32gb", "a100-pcie-40gb"));
    const Gemm gemm{.m = *rc::gen::inRange(1, 5000),
                    .n = *rc::gen::inRange(1, 5000),
                    .k = *rc::gen::inRange(1, 5000),
                    .trans_b = *rc::gen::arbitrary<bool>()};
    PlanOptions options{.kernel = *rc::gen::element("sgemm_128x64_tn", "sgemm_64x64_tn", "sgemm_32x128_tn")};
    options.split_k = 1;
    const Seconds once = least_time(gemm, on.gpu, on.rates, options);
    for (std::int64_t Gemm::*const size : {&Gemm::m, &Gemm::n, &Gemm::k}) {
      Gemm twice = gemm;
      twice.*size *= 2;
      RC_ASSERT(least_time(twice, on.gpu, on.rates, options) >= once);
    }
  }));
}

// NeuSight's row of 4,108 x 3,710 x 5,035 on P4: maxwell_sgemm_64x64_tn ran, at a sixth of the peak.
TEST(OldChoice, IsNotTheFastestWhereLinesAreReadAgain) {
  const Gpu gpu = *find_gpu("p4");
  OpShape op;
  op.gemm.m = 4108;
  op.gemm.n = 3710;
  op.gemm.k = 5035;
  op.gemm.trans_b = true;
  op.family = KernelFamily::gemm_simt;
  GpuRates rates = gpu_rates(gpu, op.family, gpu.peak(Peak::fp32), unfitted_constants(op.family));
  LaunchPlan chosen;
  Seconds fastest = kNoLimit, least = kNoLimit;
  each_plan(op, gpu, {}, [&](const LaunchPlan& plan) {
    fastest = std::min(fastest, plan_time(plan, rates));
    if (choice_time(plan, rates) >= least) return;
    least = choice_time(plan, rates);
    chosen = plan;
  });
  EXPECT_EQ(chosen.tile.m, 64);
  EXPECT_EQ(chosen.tile.n, 64);
  EXPECT_GT(plan_time(chosen, rates), fastest * 1.2);
}

TEST(OldChoice, IsByTimeFromVoltaOn) {
  const GpuRates rates = plain_rates();
  LaunchPlan plan;
  plan.main = plain_launch();
  EXPECT_EQ(choice_time(plan, rates), plan_time(plan, rates));
}

}  // namespace
}  // namespace rooftile
