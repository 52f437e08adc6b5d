#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/tensor_candidates.hpp"
#include "rooftile/plan/tensor_conv.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

// Round numbers: 10 SMs of 1e9 MAC/s at 1 GHz, an L2 of 1e10 B/s and 1 MB, DRAM of 1e9 B/s. Every constant is 1 or does
// nothing.
GpuRates tensor_rates() {
  GpuRates rates;
  rates.family = KernelFamily::tensor;
  rates.sms = 10;
  rates.sm_peak = FlopsPerSecond(2 * 1e9);
  rates.clock = rates.base_clock = Hertz(1e9);
  rates.l2 = BytesPerSecond(1e10);
  rates.l2_capacity = Bytes(1e6);
  rates.l2_latency = Cycles(100);
  rates.dram = BytesPerSecond(1e9);
  for (double& value : rates.constants.values) value = 0;
  for (const TensorConstant share :
       {TensorConstant::efficiency, TensorConstant::l2_efficiency, TensorConstant::dram_efficiency,
        TensorConstant::clock_share, TensorConstant::warm_share, TensorConstant::reread_share}) {
    rates.constants[share] = 1;
  }
  rates.constants[TensorConstant::bytes_in_flight] = 100;
  rates.constants[TensorConstant::sm_draw] = 1e9;
  return rates;
}

// 15 CTAs of 10x10x100, one resident on an SM; A, B and C of 1000, 2000 and 3000 bytes.
Launch tensor_launch() {
  Launch launch;
  launch.ctas = 15;
  launch.macs_per_step = 100;
  launch.steps = 100;
  launch.dram_load = Bytes(3000);
  launch.dram_store = Bytes(3000);
  launch.l2_load = Bytes(30000);
  launch.l2_store = Bytes(3000);
  launch.product = {.m = 30, .n = 50, .k = 100, .tile_m = 10, .tile_n = 10, .element = Bytes(1)};
  launch.product.a_bytes = Bytes(1000);
  launch.product.b_bytes = Bytes(2000);
  return launch;
}

GpuRates plain_conv_rates() {
  GpuRates rates = tensor_rates();
  rates.family = KernelFamily::conv_tensor;
  rates.constants[TensorConstant::convert_efficiency] = 1;
  return rates;
}

TEST(TensorConvTime, WhatTheL2KeepsIsNotMovedThroughDram) {
  const GpuRates rates = plain_conv_rates();
  EXPECT_EQ(move_time({Bytes(4e5), Bytes(6e5)}, rates).dram, Seconds(0)) << "all fits";
  const LaunchTime move = move_time({Bytes(1e6), Bytes(3e6)}, rates);
  EXPECT_DOUBLE_EQ(move.dram.value(), 3e-3);
  EXPECT_DOUBLE_EQ(move.l2.value(), 4e-4);
  EXPECT_GT(move.time, move.dram);
}

TEST(TensorConvTime, WiderResultsTakeLongerToStore) {
  GpuRates rates = plain_conv_rates();
  rates.constants[TensorConstant::epilogue] = 1;
  Launch launch = tensor_launch();
  const Seconds narrow = tensor_gemm_time(launch, rates).l2_aside;
  launch.product.result = Bytes(4);
  EXPECT_DOUBLE_EQ(tensor_gemm_time(launch, rates).l2_aside / narrow, 4);
}

TEST(TensorConvTime, KernelsForTheLanesHaveTheirRate) {
  GpuRates rates = plain_conv_rates();
  rates.sm_lanes = FlopsPerSecond(2 * 1e8);
  rates.constants[TensorConstant::lanes_efficiency] = 0.5;
  Launch launch = tensor_launch();
  launch.product.on_lanes = true;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(launch, rates).compute.value(), 400e-6);
}

TEST(TensorConvTime, EachChangeOfLayoutStartsByItself) {
  GpuRates rates = plain_conv_rates();
  rates.constants[TensorConstant::start_cycles] = 1000;
  rates.constants[TensorConstant::convert_cycles] = 300;
  LaunchPlan plan;
  plan.main = tensor_launch();
  const Seconds before = plan_time(plan, rates);
  plan.add_before(Bytes(0), Bytes(0));
  EXPECT_NEAR((plan_time(plan, rates) - before).value(), 300e-9, 1e-15);
}

TEST(TensorGemmTime, CountsTheCtasOfTheBusiestSm) {
  GpuRates rates = tensor_rates();
  // Two CTAs of 10000 MACs at 1e9 a second; with all of the last wave overlapped one and a half.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).compute.value(), 20e-6);
  rates.constants[TensorConstant::wave_overlap] = 1;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).compute.value(), 15e-6);
}

TEST(TensorGemmTime, MultipliesAtTheSustainedClock) {
  GpuRates rates = tensor_rates();
  rates.base_clock = Hertz(0.5e9);
  rates.constants[TensorConstant::clock_share] = 0.5;  // 750 MHz
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).compute.value(), 20e-6 / 0.75);
}

TEST(TensorGemmTime, LatencyOfACtaAlone) {
  GpuRates rates = tensor_rates();
  // Two waves of 100 steps of 1 B, 100 B under way in 100 cycles: 100 ns a wave; filling adds a MAC time of 10 us to
  // each.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).latency.value(), 2 * 100e-9);
  rates.constants[TensorConstant::fill] = 1;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).latency.value(), 2 * (100e-9 + 10e-6));
  Launch beside = tensor_launch();
  beside.product.asynchronous = true;  // one CTA multiplies while it loads
  EXPECT_DOUBLE_EQ(tensor_gemm_time(beside, rates).latency.value(), 2 * 100e-9);
  rates.constants[TensorConstant::fill] = 0;
  rates.constants[TensorConstant::miss_latency] = 1;  // all from DRAM: twice the latency
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).latency.value(), 2 * 200e-9);
}

TEST(TensorGemmTime, LoadsFromTheL2AndStoresTheTile) {
  GpuRates rates = tensor_rates();
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).l2.value(), 3e-6);  // 30000 B of loads
  rates.shared_loads = 2;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).l2.value(), 1.5e-6);
  rates.constants[TensorConstant::epilogue] = 1;  // two tiles of 100 B at a tenth of the L2's rate
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).l2_aside.value(), 200e-9);
  rates.constants[TensorConstant::sm_draw] = 1;  // two of 2000 B at 1 B a cycle
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).l1.value(), 4e-6);
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).l2.value(), 1.5e-6);
}

TEST(TensorGemmTime, WhatTheL2HoldsDoesNotComeFromDram) {
  GpuRates rates = tensor_rates();
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).dram.value(), 6e-6);  // cold
  rates.weight_sets = 1;
  EXPECT_LT(tensor_gemm_time(tensor_launch(), rates).dram.value(), 1e-12);
  rates.weight_sets = 1e6;  // the weights alone are cold
  EXPECT_NEAR(tensor_gemm_time(tensor_launch(), rates).dram.value(), 2e-6, 1e-12);
  rates.rotates = true;
  EXPECT_NEAR(tensor_gemm_time(tensor_launch(), rates).dram.value(), 6e-6, 1e-12);
  rates.rotates = false;
  rates.weight_sets = 1e6;
  rates.pass_bytes = Bytes(1e5);  // of a network that the L2 holds, with its weights
  EXPECT_LT(tensor_gemm_time(tensor_launch(), rates).dram.value(), 1e-12);
  rates.pass_bytes = {};
  rates.weight_sets = (1e6 - 4000) / 2000;  // as many bytes as the L2 has: half of the weights
  EXPECT_NEAR(tensor_gemm_time(tensor_launch(), rates).dram.value(), 1e-6, 1e-12);
}

TEST(TensorGemmTime, WhatAFlushLeftInTheL2IsWrittenBackFirst) {
  GpuRates rates = tensor_rates();
  rates.flushed = true;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(tensor_launch(), rates).dram.value(), 6e-6 * 1.5);
  rates.l2_capacity = Bytes(2000);
  const double again = tensor_gemm_time(tensor_launch(), rates).dram.value();
  rates.flushed = false;
  EXPECT_NEAR(again - tensor_gemm_time(tensor_launch(), rates).dram.value(), 1e-6, 1e-12) << "what the L2 holds";
}

TEST(TensorGemmTime, ReadsOperandsAgainThatOutgrowTheL2) {
  GpuRates rates = tensor_rates();
  rates.constants[TensorConstant::reread] = 1;
  rates.l2_capacity = Bytes(1e-3);  // holds nothing
  Launch launch = tensor_launch();
  launch.product.a_bytes = Bytes(3000);
  // A square wave of 10 CTAs has a side of sqrt(1000); both operands are read m n / side times, once counted already.
  const double again = 2 * 30 * 50 / std::sqrt(1000.0) - 80;
  EXPECT_NEAR(tensor_gemm_time(launch, rates).dram.value(), (8000 + again * 100) / 1e9, 1e-9);
}

TEST(TensorGemmTime, SplittingCostsAReduction) {
  GpuRates rates = tensor_rates();
  Launch launch = tensor_launch();
  launch.product.split = 2;
  rates.constants[TensorConstant::split_cycles] = 1000;
  // 1 us, and 8 bytes of 1500 elements twice.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(launch, rates).atomics.value(), 1e-6);
  EXPECT_DOUBLE_EQ(tensor_gemm_time(launch, rates).l2_aside.value(), 2.4e-6);
}

struct Case {
  Gpu gpu;
  Im2col gemm;
  GpuRates rates;
};

Case any_case() {
  Case made;
  const char* id = *rc::gen::element("v100-sxm2-16gb", "a100-sxm4-80gb", "h100-sxm5-80gb", "l40s", "t4");
  made.gpu = *find_gpu(id);
  Gemm gemm;
  gemm.m = *rc::gen::inRange<std::int64_t>(1, 5000);
  gemm.n = *rc::gen::inRange<std::int64_t>(1, 5000);
  gemm.k = *rc::gen::inRange<std::int64_t>(1, 20000);
  gemm.batch = *rc::gen::inRange<std::int64_t>(1, 5);
  made.gemm = im2col(gemm);
  made.rates = gpu_rates(made.gpu, KernelFamily::tensor, *peak_of(DType::fp16, made.gpu),
                         unfitted_constants(KernelFamily::tensor));
  made.rates.weight_sets = *rc::gen::inRange(0, 20);
  return made;
}

double least_time(const Case& made, const Im2col& gemm, const GpuRates& rates) {
  double least = std::numeric_limits<double>::infinity();
  const OpShape shape = {.gemm = gemm, .element = Bytes(2), .family = KernelFamily::tensor};
  each_tensor_plan(shape, made.gpu, {},
                   [&](const LaunchPlan& plan) { least = std::min(least, plan_time(plan, rates).value()); });
  return least;
}

TEST(TensorGemmTime, NeverFasterThanThePeak) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    const double macs = made.gemm.m * made.gemm.n * made.gemm.k * made.gemm.groups;
    RC_ASSERT(least_time(made, made.gemm, made.rates) >= macs / (made.rates.macs_per_second() * made.rates.sms));
  }));
}

// A convolution of any pass in either layout.
struct ConvCase {
  Gpu gpu;
  Conv conv;
  OpShape shape;
  GpuRates rates;
};

ConvCase any_conv() {
  ConvCase made;
  const char* id = *rc::gen::element("v100-sxm2-16gb", "t4", "a100-sxm4-80gb", "rtx-3070", "h100-sxm5-80gb");
  made.gpu = *find_gpu(id);
  made.conv.batch = *rc::gen::inRange<std::int64_t>(1, 300);
  made.conv.in_channels = *rc::gen::inRange<std::int64_t>(1, 1100);
  made.conv.out_channels = *rc::gen::inRange<std::int64_t>(1, 1100);
  const std::int64_t filter = *rc::gen::inRange<std::int64_t>(1, 8);
  made.conv.axes[1] = made.conv.axes[2] = {.in = *rc::gen::inRange<std::int64_t>(filter, 120),
                                           .filter = filter,
                                           .stride = *rc::gen::inRange<std::int64_t>(1, 4),
                                           .pad_begin = filter / 2,
                                           .pad_end = filter / 2};
  made.shape = {.gemm = im2col(made.conv),
                .pass = *rc::gen::element(Pass::fwd, Pass::bwd_data, Pass::bwd_weight),
                .element = Bytes(2),
                .nhwc = *rc::gen::arbitrary<bool>(),
                .family = KernelFamily::conv_tensor};
  made.rates = gpu_rates(made.gpu, KernelFamily::conv_tensor, *peak_of(DType::fp16, made.gpu),
                         unfitted_constants(KernelFamily::conv_tensor));
  made.rates.weight_sets = *rc::gen::element(0, 1, 1000);
  return made;
}

double least_time(const ConvCase& made, const Conv& conv) {
  double least = std::numeric_limits<double>::infinity();
  OpShape shape = made.shape;
  shape.gemm = im2col(conv);
  each_tensor_conv_plan(shape, made.gpu, {},
                        [&](const LaunchPlan& plan) { least = std::min(least, plan_time(plan, made.rates).value()); });
  return least;
}

TEST(TensorConvTime, ALargerBatchIsNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    const ConvCase made = any_conv();
    Conv twice = made.conv;
    twice.batch *= 2;
    constexpr double kTiles = 0.95;  // what tiles that fit better give back
    RC_ASSERT(least_time(made, twice) >= kTiles * least_time(made, made.conv));
  }));
}

TEST(TensorConvTime, NeverFasterThanItsArithmetic) {
  EXPECT_TRUE(rc::check([] {
    const ConvCase made = any_conv();
    const Im2col& gemm = made.shape.gemm;
    RC_PRE(made.shape.pass != Pass::bwd_data);  // which skips taps
    const double macs = gemm.m * gemm.n * gemm.k;
    RC_ASSERT(least_time(made, made.conv) * (1 + 1e-9) >= macs / (made.rates.macs_per_second() * made.rates.sms));
  }));
}

TEST(TensorGemmTime, WarmIsNeverSlowerThanCold) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    GpuRates cold = made.rates;
    cold.weight_sets = 0;
    RC_ASSERT(least_time(made, made.gemm, made.rates) <= least_time(made, made.gemm, cold) * (1 + 1e-12));
  }));
}

TEST(TensorGemmTime, ASlowerMemoryIsNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    GpuRates slower = made.rates;
    slower.dram /= 2;
    slower.l2 /= 2;
    RC_ASSERT(least_time(made, made.gemm, slower) >= least_time(made, made.gemm, made.rates));
  }));
}

TEST(TensorGemmTime, OperandsWhoseRowsStayInTheL2AreReadOnce) {
  GpuRates rates = tensor_rates();
  rates.constants[TensorConstant::reread] = 1;
  Launch launch = tensor_launch();
  launch.product = {.m = 1000, .n = 1000, .k = 10, .tile_m = 10, .tile_n = 10, .tile_k = 10, .element = Bytes(1)};
  launch.product.a_bytes = launch.product.b_bytes = launch.dram_load = Bytes(10000);
  const auto again = [&](double l2) {
    rates.l2_capacity = Bytes(l2);
    return tensor_gemm_dram(launch, rates, {1, 1}).load.value() - tensor_gemm_dram(launch, rates, {0, 0}).load.value();
  };
  const auto read = [&](double l2) { return again(l2), tensor_gemm_dram(launch, rates, {0, 0}).load.value(); };
  // Waves of 10 CTAs of 10x10 are 31.6 wide. An L2 of 20 bytes keeps none of their rows of 10 bytes.
  EXPECT_NEAR(read(20), 1000 * 1000 * 10 * 2 / std::sqrt(1000) - 20000, 20);
  // One of 2000 bytes keeps 200 rows: one operand is read once, the other five times.
  EXPECT_NEAR(read(2000), 4 * 10000, 400);
}

TEST(TensorGemmTime, LongProductsRunIntoTheCapOfTheBoardsPower) {
  GpuRates rates = tensor_rates();
  rates.dram = rates.l2 = BytesPerSecond(1e15);
  rates.constants[TensorConstant::mac_energy] = 1e5;
  rates.constants[TensorConstant::power_window] = 744;
  const auto time = [&](double steps, Watts power) {
    rates.power = power;
    Launch launch = tensor_launch();
    launch.ctas = 10;
    launch.steps = steps;
    return tensor_gemm_time(launch, rates).time.value() / steps;
  };
  // 1e10 MAC/s of 1e-7 J, a third less as the clock is: 333 W at full rate. Where bytes are half as wide, half of it.
  const double joules = 1e-7 * (1 / 1.5) / 2;
  EXPECT_NEAR(time(1e9, Watts(100)) / time(1e9, Watts(0)), std::sqrt(1e10 * joules / 100), 0.01);
  EXPECT_NEAR(time(10, Watts(100)) / time(10, Watts(0)), 1, 0.01) << "too short for the clock to fall";
  EXPECT_NEAR(time(1e9, Watts(1000)) / time(1e9, Watts(0)), 1, 1e-6);
}

}  // namespace
}  // namespace rooftile
