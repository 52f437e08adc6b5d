#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/test_halves.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/recurrent_on_chip.hpp"
#include "rooftile/predict/recurrent_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

using Constant = RecurrentConstant;

// 10 SMs of 100 GMAC/s, 1 TB/s of L2, 100 GB/s of DRAM, two launches a step.
GpuRates simple() {
  GpuRates rates;
  rates.family = KernelFamily::recurrent;
  rates.sms = 10;
  rates.sm_peak = FlopsPerSecond(2 * 100e9);
  rates.l2 = BytesPerSecond(1e12);
  rates.dram = BytesPerSecond(100e9);
  rates.l2_capacity = Bytes(1e6);
  rates.step_launches = 2;
  for (double& value : rates.constants.values) value = 1;
  rates.constants[Constant::backward_chain] = 0.5;
  rates.constants[Constant::old_chain] = 3;
  rates.constants[Constant::old_efficiency] = 0.5;
  rates.constants[Constant::weight_passes] = 2;
  rates.constants[Constant::tile_rows] = 32;
  rates.constants[Constant::backward_launches] = 1.5;
  rates.constants[Constant::l2_efficiency] = 0.85;
  rates.constants[Constant::warm_share] = 0.9;
  return rates;
}

constexpr RecurrentGpu kGpu = {
    .dram_latency = Seconds(1e-6), .l2_latency = Seconds(0.2e-6), .launch = Seconds(5e-6), .shared = Bytes(128)};
constexpr Bytes kFloat{4};

// 100 steps of 32 sequences; 16 MB of weights, many times the L2.
Recurrent lstm() {
  Recurrent recurrent;
  recurrent.batch = 32;
  recurrent.steps = 100;
  recurrent.hidden = recurrent.input = 1000;
  recurrent.input_projection = false;
  return recurrent;
}

double microseconds(Seconds time) { return time.value() * 1e6; }

double norm(double a, double b, double c, double d) {
  return std::pow(std::pow(a, 4) + std::pow(b, 4) + std::pow(c, 4) + std::pow(d, 4), 0.25);
}

TEST(RecurrentTime, AStepWaitsForItsProductItsGatesAndItsLaunches) {
  const RecurrentTime time = recurrent_time(lstm(), Pass::fwd, kFloat, kGpu, simple());
  EXPECT_NEAR(microseconds(time.compute), 100 * 128, 1);  // 32 rows x 4 M weights / 1 TMAC/s
  EXPECT_NEAR(microseconds(time.latency), 100 * 125, 1);  // 125 times 32 B of k, 1 us each
  EXPECT_NEAR(microseconds(time.l2), 100 * 20.48, 1);     // 16 MB, and 11 elements for each of 32,000 states / 850 GB/s
  EXPECT_NEAR(microseconds(time.dram), 100 * 174.08, 1);  // 16 MB, and 11 elements for each of 32,000 states
  EXPECT_NEAR(microseconds(time.launch), 100 * 2 * 5, 1e-6);
  EXPECT_NEAR(microseconds(time.time), 100 * (norm(128, 125, 18.8235, 160) + 14.08 + 10), 2);
}

TEST(RecurrentTime, TheDataGradientMultipliesByTheTransposedWeights) {
  const RecurrentTime time = recurrent_time(lstm(), Pass::bwd_data, kFloat, kGpu, simple());
  EXPECT_NEAR(microseconds(time.compute), 100 * 128, 1);
  EXPECT_NEAR(microseconds(time.latency), 100 * 4 * 125 * 0.5, 1);  // four times the k, half the chain
  EXPECT_NEAR(microseconds(time.launch), 100 * 3 * 5, 1e-6);
}

TEST(RecurrentTime, OldKernelsWaitLonger) {
  RecurrentGpu old = kGpu;
  old.old_kernels = true;
  const RecurrentTime time = recurrent_time(lstm(), Pass::fwd, kFloat, old, simple());
  EXPECT_NEAR(microseconds(time.compute), 100 * 256, 1);
  EXPECT_NEAR(microseconds(time.latency), 100 * 375, 1);
}

TEST(RecurrentTime, WeightsThatFitTheL2AreLoadedOnce) {
  GpuRates rates = simple();
  rates.l2_capacity = Bytes(1e9);
  const RecurrentTime time = recurrent_time(lstm(), Pass::fwd, kFloat, kGpu, rates);
  EXPECT_NEAR(microseconds(time.dram), 160 + 1408, 0.1);
  EXPECT_NEAR(microseconds(time.latency), 125 * (100 * 0.2 + 0.8), 1);  // from DRAM in one step only
}

TEST(RecurrentTime, FewSequencesStreamTheWeights) {
  GpuRates rates = simple();
  rates.clock = Hertz(1e9);
  Recurrent few = lstm();
  few.batch = 4;
  const RecurrentTime time = recurrent_time(few, Pass::fwd, kFloat, kGpu, rates);
  EXPECT_NEAR(microseconds(time.compute), 100 * 50, 1);     // 16 M operands of 4 B / 10 SMs, 128 B a clock
  EXPECT_NEAR(microseconds(time.latency), 100 * 1.953, 1);  // 4,000 B / 2 KiB
  EXPECT_NEAR(microseconds(time.time), 100 * (norm(50, 1.953, 18.8235, 160) + 1.76 + 10), 2);
}

TEST(RecurrentTime, AKernelThatKeepsTheWeightsLoadsThemOnce) {
  RecurrentGpu persistent = kGpu;
  persistent.on_chip = true;
  Recurrent few = lstm();
  few.batch = 4;
  const RecurrentTime time = recurrent_time(few, Pass::fwd, kFloat, persistent, simple());
  EXPECT_TRUE(time.on_chip);
  EXPECT_NEAR(microseconds(time.dram), 160 + 100 * 1.76, 0.1);
  EXPECT_NEAR(microseconds(time.latency), 100 * 2, 0.1);   // ten of the L2
  EXPECT_NEAR(microseconds(time.compute), 100 * 32, 0.1);  // of eight sequences
  EXPECT_NEAR(microseconds(time.launch), 5, 1e-6);         // for all steps
}

TEST(RecurrentTime, GradientsOfWeightsPassThroughDram) {
  const RecurrentTime time = recurrent_time(lstm(), Pass::bwd_weight, kFloat, kGpu, simple());
  EXPECT_NEAR(microseconds(time.time), 320, 1e-6);
}

TEST(RecurrentTime, TwoDirectionsShareLatencies) {
  Recurrent both = lstm();
  both.directions = 2;
  const RecurrentTime one = recurrent_time(lstm(), Pass::fwd, kFloat, kGpu, simple());
  const RecurrentTime two = recurrent_time(both, Pass::fwd, kFloat, kGpu, simple());
  EXPECT_NEAR(microseconds(two.latency), microseconds(one.latency), 1);
  EXPECT_NEAR(microseconds(two.compute), 2 * microseconds(one.compute), 1);
  EXPECT_LT(two.time, one.time * 2);
}

TEST(RecurrentTime, StepsAddUp) {
  Recurrent more = lstm();
  const auto at = [&](int steps) {
    more.steps = steps;
    return recurrent_time(more, Pass::fwd, kFloat, kGpu, simple()).time;
  };
  const Seconds step = at(2) - at(1);
  EXPECT_NEAR(at(501) / at(1), (at(1) + step * 500) / at(1), 1e-3);
}

TEST(Recurrent, IntervalsOfUnknownCallersHoldWhateverTheyLaunchAStep) {
  const Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  const auto above = [&](std::int64_t hidden, Pass pass, const char* framework) {
    Recurrent recurrent = lstm();
    recurrent.hidden = recurrent.input = hidden;
    const LayerEstimate layer = estimate(recurrent, gpu, {.pass = pass, .framework = framework});
    return layer.time_high.value() / layer.time;
  };
  EXPECT_GT(above(64, Pass::fwd, "Nobody"), 2 * above(64, Pass::fwd, "PyTorch 1.5")) << "measured here";
  EXPECT_GT(above(64, Pass::fwd, "Nobody"), 1.5 * above(4096, Pass::fwd, "Nobody")) << "launches matter less";
}

Recurrent any_recurrent() {
  Recurrent recurrent;
  recurrent.cell = *rc::gen::element<std::string>("lstm", "gru", "vanilla");
  recurrent.batch = *rc::gen::inRange(1, 300);
  recurrent.steps = *rc::gen::inRange(1, 300);
  recurrent.hidden = *rc::gen::inRange(1, 3000);
  recurrent.input = *rc::gen::inRange(1, 3000);
  recurrent.layers = *rc::gen::inRange(1, 5);
  recurrent.directions = *rc::gen::inRange(1, 3);
  recurrent.input_projection = *rc::gen::arbitrary<bool>();
  return recurrent;
}

Seconds on(const Gpu& gpu, const Recurrent& recurrent, Pass pass) {
  return estimate(recurrent, gpu, {.pass = pass}).time;
}

const Gpu& some_gpu() {
  static const std::vector<Gpu> gpus = {find_gpu("m40").value(), find_gpu("v100-sxm2-16gb").value(),
                                        find_gpu("h100-sxm5-80gb").value()};
  return gpus[static_cast<std::size_t>(*rc::gen::inRange(0, 3))];
}

// cuDNN 9 on an H200, 50 steps of 1,760 units (data/measurements/h200-sxm-141gb/layers/rnn.csv, 3,574 and 4,894 us):
// a CTA of 128 x 64 walks along all of k, for 16 sequences as for 64. By hand: 1,760 x 64 clocks at 1.98 GHz are 57 us.
TEST(Recurrent, StepsInFp32OnHopperWaitForOneCta) {
  Recurrent recurrent{.cell = "lstm", .batch = 16, .steps = 50, .input = 1760, .hidden = 1760};
  recurrent.input_projection = false;
  const Gpu gpu = find_gpu("h200-sxm-141gb").value();
  const auto step = [&](std::int64_t batch) {
    recurrent.batch = batch;
    return on(gpu, recurrent, Pass::fwd).value() / 50;
  };
  EXPECT_GT(step(16), 57e-6);
  EXPECT_LT(step(16), 72e-6);
  EXPECT_LT(step(64), step(16) * 1.2);
}

RC_GTEST_PROP(AnyRecurrent, NoLayerBeatsThePeakOrTheMemory, ()) {
  const Recurrent recurrent = any_recurrent();
  const Gpu& gpu = some_gpu();
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    const double time = on(gpu, recurrent, pass).value();
    RC_ASSERT(std::isfinite(time));
    RC_ASSERT(time * gpu.peak(Peak::fp32).value() >= 2 * macs(recurrent));
    RC_ASSERT(time * gpu.level("DRAM").bandwidth.value() >= 4 * weights_of(recurrent) * 0.999);
  }
}

struct Small {
  std::string gpu;
  Recurrent recurrent;
  Pass pass = Pass::fwd;
  DType precision = DType::fp32;

  std::string text() const {
    return fmt::format("{}: {} of {}, batch {}, {}, {}", gpu, recurrent.cell, recurrent.hidden, recurrent.batch,
                       name_of(pass), name_of(precision));
  }
};

// Beside launches and some latencies a step takes what streaming the weights takes, at least from the L2 and at most a
// few times from DRAM, unless they stay on the chip.
void check_small_batches(Small small, const Gpu& gpu) {
  constexpr Seconds kLatencies{3e-6};
  constexpr double kLeastGrowth = 0.95;
  const double launch = gpu.launch_overhead.value(), steps = static_cast<double>(small.recurrent.steps);
  const Bytes weights = size_of(small.precision) * weights_of(small.recurrent);
  const Seconds from_dram = weights / gpu.level("DRAM").bandwidth, from_l2 = weights / gpu.level("L2").bandwidth;
  const bool slow_halves = small.precision == DType::fp16 && has_slow_halves(gpu);
  Seconds before;
  for (int batch = 1; batch <= 16; ++batch) {
    small.recurrent.batch = batch;
    const LayerEstimate layer = estimate(small.recurrent, gpu, {.pass = small.pass, .precision = small.precision});
    const Seconds step = layer.time / steps, launches{(layer.kernels + 1) * launch / steps};
    const bool on_chip = layer.kernels <= 1;
    EXPECT_GE(step, on_chip ? from_dram / steps : from_l2) << small.text();
    EXPECT_GE(step, before * kLeastGrowth) << small.text();
    if (batch == 1 && !slow_halves) {
      EXPECT_LE(step, 1.5 * from_dram + launches + kLatencies) << small.text();
    }
    // Libraries up to Pascal have no such kernels for more than 8 sequences: tiles of 128 run mostly empty there; nor
    // has cuDNN 9 in FP32 from Hopper on, whose rows of 16 take four times as long as their bytes.
    const bool lone_ctas = gpu.generation >= 9 && small.precision == DType::fp32;
    if (!slow_halves && (batch <= 8 || (gpu.generation >= 7 && !lone_ctas))) {
      EXPECT_LE(step, 3 * from_dram + launches + kLatencies) << small.text();
    }
    before = step;
  }
}

TEST(SmallBatches, StepsTakeAboutAsLongAsStreamingTheWeights) {
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (const std::string cell : {"lstm", "gru", "vanilla"}) {
      for (const std::int64_t hidden : {256, 512, 1024, 2048, 4096}) {
        Small small{.gpu = id, .recurrent = {.cell = cell, .steps = 100, .input = hidden, .hidden = hidden}};
        small.recurrent.input_projection = false;
        for (const Pass pass : {Pass::fwd, Pass::bwd_data}) {
          for (const DType precision : {DType::fp32, DType::fp16}) {
            small.pass = pass;
            small.precision = precision;
            check_small_batches(small, gpu);
          }
        }
      }
    }
  }
}

TEST(SmallBatches, PersistentKernelsAreForSomeSizesOfSomeGpus) {
  Recurrent recurrent;
  recurrent.batch = 4;
  recurrent.input = recurrent.hidden = 1024;
  const auto keeps = [&](const char* gpu, DType precision, const char* framework = "") {
    return keeps_weights_on_chip(recurrent, find_gpu(gpu).value(), {.precision = precision, .framework = framework});
  };
  EXPECT_TRUE(keeps("v100-sxm2-16gb", DType::fp16));
  EXPECT_TRUE(keeps("v100-sxm2-16gb", DType::fp16, "PyTorch 2.1"));
  EXPECT_FALSE(keeps("v100-sxm2-16gb", DType::fp16, "PyTorch 1.5"));
  EXPECT_FALSE(keeps("v100-sxm2-16gb", DType::fp32));
  EXPECT_FALSE(keeps("t4", DType::fp16));
  recurrent.hidden = 1000;
  EXPECT_FALSE(keeps("v100-sxm2-16gb", DType::fp16));
  recurrent.hidden = 128;
  EXPECT_TRUE(keeps("titan-xp", DType::fp32));
  EXPECT_FALSE(keeps("m40", DType::fp32));
}

// But for the SM that a persistent kernel gains where its weights outgrow those it had: a few of 100 columns.
RC_GTEST_PROP(AnyRecurrent, MoreWorkTakesNoLessTime, ()) {
  constexpr double kOneMoreSm = 0.95;
  const Gpu& gpu = some_gpu();
  Recurrent recurrent = any_recurrent();
  recurrent.input_projection = false;
  const Pass pass = *rc::gen::element(Pass::fwd, Pass::bwd_data);
  const Seconds before = on(gpu, recurrent, pass);
  const int which = *rc::gen::inRange(0, 3);
  std::int64_t& grown = which == 0 ? recurrent.batch : which == 1 ? recurrent.steps : recurrent.hidden;
  grown += *rc::gen::inRange(1, 100);
  RC_ASSERT(on(gpu, recurrent, pass) >= before * kOneMoreSm);
}

}  // namespace
}  // namespace rooftile
