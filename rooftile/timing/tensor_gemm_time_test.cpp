#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/tensor_candidates.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

// Round numbers: 10 SMs of 1e9 MAC/s at 1 GHz, an L2 of 1e10 B/s and 1 MB, DRAM of 1e9 B/s. Every constant is 1 or does
// nothing.
Machine plain_machine() {
  Machine machine;
  machine.family = KernelFamily::tensor;
  machine.sms = 10;
  machine.macs_per_second = 1e9;
  machine.clock = machine.base_clock = 1e9;
  machine.l2 = 1e10;
  machine.l2_capacity = 1e6;
  machine.l2_latency = 100;
  machine.dram = 1e9;
  for (double& value : machine.constants.values) value = 0;
  for (const TensorConstant share :
       {TensorConstant::efficiency, TensorConstant::l2_efficiency, TensorConstant::dram_efficiency,
        TensorConstant::clock_share, TensorConstant::warm_share, TensorConstant::reread_share}) {
    machine.constants[share] = 1;
  }
  machine.constants[TensorConstant::bytes_in_flight] = 100;
  machine.constants[TensorConstant::sm_draw] = 1e9;
  return machine;
}

// 15 CTAs of 10x10x100, one resident on an SM; A, B and C of 1000, 2000 and 3000 bytes.
Launch plain_launch() {
  Launch launch;
  launch.ctas = 15;
  launch.macs_per_step = 100;
  launch.steps = 100;
  launch.dram_load = Bytes(3000);
  launch.dram_store = Bytes(3000);
  launch.l2 = Bytes(33000);
  launch.product = {.m = 30, .n = 50, .k = 100, .tile_m = 10, .tile_n = 10, .element = 1};
  launch.product.a_bytes = 1000;
  launch.product.b_bytes = 2000;
  return launch;
}

TEST(TensorGemmTime, CountsTheCtasOfTheBusiestSm) {
  Machine machine = plain_machine();
  // Two CTAs of 10000 MACs at 1e9 a second; with all of the last wave overlapped one and a half.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).compute.value(), 20e-6);
  machine.constants[TensorConstant::wave_overlap] = 1;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).compute.value(), 15e-6);
}

TEST(TensorGemmTime, MultipliesAtTheSustainedClock) {
  Machine machine = plain_machine();
  machine.base_clock = 0.5e9;
  machine.constants[TensorConstant::clock_share] = 0.5;  // 750 MHz
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).compute.value(), 20e-6 / 0.75);
}

TEST(TensorGemmTime, LatencyOfACtaAlone) {
  Machine machine = plain_machine();
  // Two waves of 100 steps of 1 B, 100 B under way in 100 cycles: 100 ns a wave; filling adds a MAC time of 10 us to
  // each.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).latency.value(), 2 * 100e-9);
  machine.constants[TensorConstant::fill] = 1;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).latency.value(), 2 * (100e-9 + 10e-6));
  machine.constants[TensorConstant::fill] = 0;
  machine.constants[TensorConstant::miss_latency] = 1;  // all from DRAM: twice the latency
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).latency.value(), 2 * 200e-9);
}

TEST(TensorGemmTime, LoadsFromTheL2AndStoresTheTile) {
  Machine machine = plain_machine();
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).l2.value(), 3e-6);  // 30000 B of loads
  machine.shared_loads = 2;
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).l2.value(), 1.5e-6);
  machine.constants[TensorConstant::epilogue] = 1;  // two tiles of 100 B at a tenth of the L2's rate
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).l2.value(), 1.5e-6 + 200e-9);
  machine.constants[TensorConstant::sm_draw] = 1;  // two of 2000 B at 1 B a cycle
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).l2.value(), 4e-6 + 200e-9);
}

TEST(TensorGemmTime, WhatTheL2HoldsDoesNotComeFromDram) {
  Machine machine = plain_machine();
  EXPECT_DOUBLE_EQ(tensor_gemm_time(plain_launch(), machine).dram.value(), 6e-6);  // cold
  machine.copies = 1;
  EXPECT_LT(tensor_gemm_time(plain_launch(), machine).dram.value(), 1e-12);
  machine.copies = 1e6;  // the weights alone are cold
  EXPECT_NEAR(tensor_gemm_time(plain_launch(), machine).dram.value(), 2e-6, 1e-12);
  machine.rotates = true;
  EXPECT_NEAR(tensor_gemm_time(plain_launch(), machine).dram.value(), 6e-6, 1e-12);
  machine.rotates = false;
  machine.copies = (1e6 - 4000) / 2000;  // as many bytes as the L2 has: half of the weights
  EXPECT_NEAR(tensor_gemm_time(plain_launch(), machine).dram.value(), 1e-6, 1e-12);
}

TEST(TensorGemmTime, ReadsOperandsAgainThatOutgrowTheL2) {
  Machine machine = plain_machine();
  machine.constants[TensorConstant::reread] = 1;
  machine.l2_capacity = 1e-3;  // holds nothing
  Launch launch = plain_launch();
  launch.product.a_bytes = 3000;
  // A square wave of 10 CTAs has a side of sqrt(1000); both operands are read m n / side times, once counted already.
  const double again = 2 * 30 * 50 / std::sqrt(1000.0) - 80;
  EXPECT_NEAR(tensor_gemm_time(launch, machine).dram.value(), (8000 + again * 100) / 1e9, 1e-9);
}

TEST(TensorGemmTime, SplittingCostsAReduction) {
  Machine machine = plain_machine();
  Launch launch = plain_launch();
  launch.product.split = 2;
  machine.constants[TensorConstant::split_cycles] = 1000;
  // 1 us, and 8 bytes of 1500 elements twice.
  EXPECT_DOUBLE_EQ(tensor_gemm_time(launch, machine).atomics.value(), 1e-6 + 2.4e-6);
}

struct Case {
  Gpu gpu;
  Im2col gemm;
  Machine machine;
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
  made.machine = machine_of(made.gpu, KernelFamily::tensor, *peak_of(DType::fp16, made.gpu),
                            unfitted_constants(KernelFamily::tensor));
  made.machine.copies = *rc::gen::inRange(0, 20);
  return made;
}

double least_time(const Case& made, const Im2col& gemm, const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  const OpShape shape = {.gemm = gemm, .element = Bytes(2), .family = KernelFamily::tensor};
  each_tensor_plan(shape, made.gpu, {},
                   [&](const LaunchPlan& plan) { least = std::min(least, plan_time(plan, machine).value()); });
  return least;
}

TEST(TensorGemmTime, NeverFasterThanThePeak) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    const double macs = made.gemm.m * made.gemm.n * made.gemm.k * made.gemm.groups;
    RC_ASSERT(least_time(made, made.gemm, made.machine) >= macs / (made.machine.macs_per_second * made.machine.sms));
  }));
}

TEST(TensorGemmTime, WarmIsNeverSlowerThanCold) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    Machine cold = made.machine;
    cold.copies = 0;
    RC_ASSERT(least_time(made, made.gemm, made.machine) <= least_time(made, made.gemm, cold) * (1 + 1e-12));
  }));
}

TEST(TensorGemmTime, ASlowerMemoryIsNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    const Case made = any_case();
    Machine slower = made.machine;
    slower.dram /= 2;
    slower.l2 /= 2;
    RC_ASSERT(least_time(made, made.gemm, slower) >= least_time(made, made.gemm, made.machine));
  }));
}

}  // namespace
}  // namespace rooftile
