#include "rooftile/timing/attention_time.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/timing/test_micros.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// Round numbers: 10 SMs of 1e9 MAC/s at 1 GHz, an L2 of 1e10 B/s and 1 MB, DRAM of 1e9 B/s. Every constant is 1 or does
// nothing.
GpuRates attention_rates() {
  GpuRates rates;
  rates.family = KernelFamily::attention;
  rates.sms = 10;
  rates.sm_peak = FlopsPerSecond(2 * 1e9);
  rates.clock = rates.base_clock = Hertz(1e9);
  rates.l2 = BytesPerSecond(1e10);
  rates.l2_capacity = Bytes(1e6);
  rates.dram = BytesPerSecond(1e9);
  rates.launch = Seconds(1e-6);
  for (double& value : rates.constants.values) value = 0;
  for (const AttentionConstant share :
       {AttentionConstant::efficiency, AttentionConstant::l2_efficiency, AttentionConstant::dram_efficiency,
        AttentionConstant::clock_share, AttentionConstant::warm_share, AttentionConstant::power_window,
        AttentionConstant::kernel_cost}) {
    rates.constants[share] = 1;
  }
  return rates;
}

// 15 CTAs of 4 steps of 10 x 10 pairs of 5 dimensions: 1000 MACs a step.
AttentionPlan plain_plan() {
  AttentionPlan plan;
  plan.tile_q = plan.tile_kv = 10;
  plan.head_dim = plan.padded_dim = 5;
  plan.pair_macs = 10;
  plan.ctas = 15;
  plan.steps = plan.most_steps = 4;
  return plan;
}

// What the kernel of 2022 adds to a step takes as many clocks as the products of an SM that makes 1,024 in one.
TEST(AttentionTime, EarlyKernelsTakeTwiceAsLongWhereProductsAreAsFastAsAnA100s) {
  GpuRates rates = attention_rates();
  AttentionPlan early = plain_plan();
  early.early = true;
  const auto ratio = [&] {
    return attention_time(early, rates).cases[Bottleneck::compute] /
           attention_time(plain_plan(), rates).cases[Bottleneck::compute];
  };
  rates.sm_peak = FlopsPerSecond(2 * 1024e9);
  EXPECT_NEAR(ratio(), 2, 1e-9);
  rates.sm_peak = FlopsPerSecond(2 * 256e9);
  EXPECT_NEAR(ratio(), 1.25, 1e-9) << "a quarter of the products, a quarter of the share";
}

// Half as efficient at an A100's rate: a quarter of that rate leaves 1 / (1 + 1/4) of its peak.
TEST(AttentionTime, LoadsOfOperandsCostClocksAndNotAShareOfTheRate) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::efficiency] = 0.5;
  AttentionPlan plan = plain_plan();
  plan.loads_operands = true;
  rates.sm_peak = FlopsPerSecond(2 * 1024e9);
  const double whole = micros(attention_time(plan, rates).cases[Bottleneck::compute]);
  rates.sm_peak = FlopsPerSecond(2 * 256e9);
  EXPECT_NEAR(micros(attention_time(plan, rates).cases[Bottleneck::compute]), whole / 2 * 5, 1e-9);
  plan.loads_operands = false;
  EXPECT_NEAR(micros(attention_time(plan, rates).cases[Bottleneck::compute]), whole / 2 * 8, 1e-9);
}

// As above, at an H100's rate; one twice as fast loses the same share.
TEST(AttentionTime, TensorCoresThatFetchOperandsLoseClocksWhereTheyAreSlow) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::efficiency] = 0.5;
  AttentionPlan plan = plain_plan();
  plan.asynchronous = true;
  const auto time_at = [&](double macs) {
    rates.sm_peak = FlopsPerSecond(2 * macs * 1e9);
    return micros(attention_time(plan, rates).cases[Bottleneck::compute]);
  };
  EXPECT_NEAR(time_at(1890. / 4), time_at(1890) / 2 * 5, 1e-9);
  EXPECT_NEAR(time_at(1890. * 2), time_at(1890) / 2, 1e-9);
}

// xFormers' on Volta and Turing, whose warps are busy with shared memory: 161 MACs a clock, however fast tensor cores
// are.
TEST(AttentionTime, SharedScoresLimitProductsWhateverTheTensorCoresRate) {
  GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  plan.shares_scores = true;
  const auto micros_at = [&](double macs) {
    rates.sm_peak = FlopsPerSecond(2 * macs * 1e9);
    return micros(attention_time(plan, rates).cases[Bottleneck::compute]);
  };
  EXPECT_DOUBLE_EQ(micros_at(512), micros_at(256));
  EXPECT_GT(micros_at(100), micros_at(256));
}

// 0.19 of the start of a group for every 64 dimensions and once more.
TEST(AttentionTime, StackedHeadsStartSoonAndWaitOnlyWhereTold) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::group_cycles] = 10000;
  rates.constants[AttentionConstant::vector_step] = 1280;
  AttentionPlan plan = plain_plan();
  plan.kernel = AttentionKernel::stacked;
  plan.ctas = 10;
  plan.head_dim = 64;
  EXPECT_NEAR(micros(attention_time(plan, rates).cases[Bottleneck::latency]), 0.19 * 2 * 10, 1e-9);
  plan.waits = true;
  EXPECT_NEAR(micros(attention_time(plan, rates).cases[Bottleneck::latency]), 0.19 * 2 * 10 + 4 * 0.64, 1e-9);
}

TEST(AttentionTime, FourWarpsAloneOnAnSmTakeLonger) {
  AttentionPlan plan = plain_plan();
  const double shared = micros(attention_time(plan, attention_rates()).time);
  plan.lone = true;
  EXPECT_NEAR(micros(attention_time(plan, attention_rates()).time), 1.15 * shared, 1e-9);
}

TEST(AttentionTime, CountsTheCtasOfTheBusiestSm) {
  GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::compute]), 2 * 4);
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4);
  plan.persistent = true;
  rates.constants[AttentionConstant::wave_overlap] = 1;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 1.5 * 4);
  plan.most_steps = 7;  // one CTA is longer than that
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 7);
}

TEST(AttentionTime, ExponentialsAddToProductsOrRunBesideThem) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::softmax] = 16 * 10;  // 100 pairs at 16 a cycle: 1 us a step
  AttentionPlan plan = plain_plan();
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * 2);
  plan.overlapped = true;
  rates.constants[AttentionConstant::overlapped_softmax] = 16 * 10;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * std::pow(2, 0.25));
  plan.exponentials = 32;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * std::pow(1 + 1.0 / 16, 0.25));
  plan.exponentials = 16;
  plan.block_scaled = true;
  rates.constants[AttentionConstant::block_scales] = 2;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * std::pow(1 + 16, 0.25));
}

TEST(AttentionTime, GradientsTakeMoreOfTheLanes) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::softmax] = 16 * 10;
  rates.constants[AttentionConstant::backward_vector] = 3;
  AttentionPlan plan = plain_plan();
  plan.backward = true;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * (1 + 3));
  plan.ordered = true;
  rates.constants[AttentionConstant::ordered_sums] = 1.25;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4 * (1 + 3) * 1.25);
}

TEST(AttentionTime, SumsOfGradientsPassTheL2) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::warm_share] = 1e-9;
  AttentionPlan plan = plain_plan();
  plan.backward = true;
  plan.sums = Bytes(1e5);
  plan.added = Bytes(4e5);
  plan.reloads = Bytes(2e5);
  const AttentionTime time = attention_time(plan, rates);
  EXPECT_DOUBLE_EQ(micros(time.cases[Bottleneck::l2]), 60);
  EXPECT_DOUBLE_EQ(micros(time.cases[Bottleneck::dram]), 200);  // loaded and stored once
}

TEST(AttentionTime, MultipliesAtTheShareAndTheClockThatLast) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::fp8_efficiency] = 0.5;
  AttentionPlan plan = plain_plan();
  plan.rate = AttentionRate::fp8;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 8);
  // All at once 15 CTAs take 12 us; with a window of 12 us the clock has fallen half of the way to half.
  rates.base_clock = Hertz(0.5e9);
  rates.constants[AttentionConstant::clock_share] = 0;
  rates.constants[AttentionConstant::power_window] = 12;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 8 / 0.75);
}

TEST(AttentionTime, CtasTakeTimeToStart) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::tile_cycles] = 3000;
  AttentionPlan plan = plain_plan();
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 + 3));
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::latency]), 2 * 3);
  plan.kernel = AttentionKernel::small;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * 4);
  plan.kernel = AttentionKernel::tile;
  plan.resident = 2;  // both start at once and then share the SM
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), std::pow(std::pow(2 * 4, 4) + std::pow(4 + 3, 4), 0.25));
}

TEST(AttentionTime, SmallKernelsWaitForTheirKeys) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::group_cycles] = 2000;
  rates.constants[AttentionConstant::group_step] = 1000;
  AttentionPlan plan = plain_plan();
  plan.kernel = AttentionKernel::group;
  plan.head_dim = 256;  // twice the start and twice the step
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 + 4));
  plan.waits = true;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 + 4 + 4 * 2));
}

// 1000 cycles of 128 keys of 128; the products take 1 us of each step.
TEST(AttentionTime, PagedKeysAreGatheredBesideProducts) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::paged_cycles] = 1000;
  rates.constants[AttentionConstant::paged_step] = 128 * 1000;
  rates.constants[AttentionConstant::paged_mask] = 700;
  rates.constants[AttentionConstant::scan_cycles] = 300;
  AttentionPlan plan = plain_plan();  // 10 keys a step
  plan.kernel = AttentionKernel::paged;
  plan.head_dim = 128;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 10 + 1.5));
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::compute]), 2 * 4);
  plan.scans = 5;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 10 + 1.5) + 5 * 0.3) << "once, not every round";
  plan.scans = 0;
  plan.spills_masks = true;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 10 + 1.5 + 0.7));
  plan.spills_masks = false;
  plan.transposed = true;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 10 + 1.5)) << "hidden up to 128 dimensions";
  plan.head_dim = 256;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 40 + 2));
  rates.constants[AttentionConstant::paged_step] = 0;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 2 * (4 * 1 + 2)) << "never faster than the products";
}

TEST(AttentionTime, AWindowsMasksTakeAsLongWhereATileSpillsThem) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::tile_cycles] = 1000;
  rates.constants[AttentionConstant::paged_mask] = 700;
  AttentionPlan plan = plain_plan();
  plan.tile_q = 64;  // half of what the masks were measured for
  const double before = micros(attention_time(plan, rates).time);
  plan.spills_masks = true;
  EXPECT_NEAR(micros(attention_time(plan, rates).time) - before, 2 * 0.35, 1e-9);
}

// Steps of 200 cycles, between which a CTA waits for its keys and its values.
TEST(AttentionTime, ALoneCtaWithoutTilesWaitsForItsKeys) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::vector_step] = 200;
  rates.dram_latency = Cycles(500);
  AttentionPlan plan = plain_plan();
  plan.kernel = AttentionKernel::vector;
  plan.head_dim = 128;
  plan.pair_macs = 0;
  plan.ctas = 10;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 4 * (0.2 + 2 * 0.5));
  plan.head_dim = 64;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 4 * (0.1 + 0.5));
  plan.ctas = 1000;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 100 * 4 * 0.1) << "others of its SM have work meanwhile";
}

TEST(AttentionTime, LoadsWhatTheL2DoesNotHold) {
  const GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  plan.queries = Bytes(1000);
  plan.keys = Bytes(2000);
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::dram]), 3);  // cold
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::l2]), 0.3);
  plan.warm = true;
  EXPECT_LT(micros(attention_time(plan, rates).cases[Bottleneck::dram]), 1e-6);
  plan.queries = Bytes(0);
  plan.keys = Bytes(1e6);  // as much as the L2 has: half of it
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::dram]), 500);
}

// An L2 of 1 MB keeps 1 / (1 + 1) of what is as large. Kernels around the attention read and write the same bytes.
TEST(AttentionTime, WhatIsReadAndWrittenInPlaceTakesRoomOnce) {
  const GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  plan.warm = true;
  plan.queries = Bytes(5e5);
  plan.around = Bytes(1e6);
  EXPECT_DOUBLE_EQ(attention_traffic(plan, rates).attention.dram.value(), 2.5e5);
}

TEST(AttentionTime, OtherHeadsLoadKeysAgain) {
  const GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  plan.keys = Bytes(2000);
  plan.key_loads = 5;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::l2]), 1);
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::dram]), 2);
  plan.reuse = Bytes(1e6);  // half of the four further times
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::dram]), 2 * (1 + 4 * 0.5));
}

TEST(AttentionTime, SplitsAddTheirResultsUp) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::combine_cycles] = 1000;
  AttentionPlan plan = plain_plan();
  const double whole = micros(attention_time(plan, rates).time);
  plan.split = 2;
  plan.steps = plan.most_steps = 2;
  plan.partial = Bytes(2e4);
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 3 * 2 + 1 + 2);
  EXPECT_DOUBLE_EQ(whole, 8);
}

// Each part waits for its loads: two latencies of the L2 for two.
TEST(AttentionTime, FlashAttention2AddsOnePartAfterAnother) {
  GpuRates rates = attention_rates();
  rates.l2_latency = Cycles(300);
  AttentionPlan plan = plain_plan();
  plan.split = 2;
  const double others = micros(attention_time(plan, rates).time);
  plan.split_tile = true;
  EXPECT_NEAR(micros(attention_time(plan, rates).time), others + 0.6, 1e-9);
}

// Three CTAs on an SM that holds two: products one after another, two waves of starts.
TEST(AttentionTime, CtasOfPagesStartTogether) {
  GpuRates rates = attention_rates();
  rates.constants[AttentionConstant::paged_cycles] = 1000;
  rates.constants[AttentionConstant::tile_cycles] = 9000;
  AttentionPlan plan = plain_plan();
  plan.split_tile = true;
  plan.head_dim = 256;
  plan.resident = 2;
  plan.ctas = 30;
  EXPECT_NEAR(micros(attention_time(plan, rates).time), 3 * 4 + 2 * 2, 1e-9);
}

TEST(AttentionTime, KernelsAroundTheAttention) {
  GpuRates rates = attention_rates();
  AttentionPlan plan = plain_plan();
  plan.kernels = 3;
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).cases[Bottleneck::launch]), 2);
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 8 + 2);
  rates.constants[AttentionConstant::token_cycles] = 5000;
  plan.token_ctas = 20;  // 5 us, two on each SM
  EXPECT_DOUBLE_EQ(micros(attention_time(plan, rates).time), 8 + 2 + 10);
}

struct AttentionCase {
  Gpu gpu;
  Attention attention;
  DType precision = DType::bf16;
  AttentionCall call;
};

AttentionCase any_attention(bool decode) {
  AttentionCase made;
  const char* id = *rc::gen::element("a100-sxm4-80gb", "h100-sxm5-80gb", "l40s", "b200-sxm-180gb", "l4", "a10");
  made.gpu = *find_gpu(id);
  Attention& attention = made.attention;
  attention.batch = *rc::gen::inRange(1, 300);
  attention.kv_len = *rc::gen::inRange(16, 20000);
  attention.q_len = decode ? 1 : attention.kv_len;
  attention.kv_heads = *rc::gen::inRange(1, 17);
  attention.heads = attention.kv_heads * *rc::gen::inRange(1, 12);
  attention.head_dim = *rc::gen::element(64, 96, 128, 192, 256);
  attention.window = *rc::gen::element(0, 0, 128, 4096);
  attention.causal = true;
  if (*rc::gen::arbitrary<bool>()) attention.kv_precision = DType::fp8;
  const char* kernel = *rc::gen::element("fa2", "fa3", "flashinfer", "triton", "");
  const char* framework = *rc::gen::element("vllm", "sglang", "trtllm", "");
  made.call = attention_call(kernel, framework, made.precision, made.gpu);
  return made;
}

GpuRates machine_for(const AttentionCase& made) {
  const DType multiplied = attention_precision(made.attention, made.precision, made.call.library, made.gpu);
  return gpu_rates(made.gpu, KernelFamily::attention, *peak_of(multiplied, made.gpu),
                   unfitted_constants(KernelFamily::attention));
}

double time_of(const AttentionCase& made, const GpuRates& rates) {
  return attention_time(attention_plan(made.attention, made.precision, made.call, made.gpu), rates).time.value();
}

TEST(AttentionTime, NeverFasterThanThePeak) {
  EXPECT_TRUE(rc::check([] {
    const AttentionCase made = any_attention(*rc::gen::arbitrary<bool>());
    const GpuRates rates = machine_for(made);
    RC_ASSERT(time_of(made, rates) >= macs(made.attention) / (rates.macs_per_second() * rates.sms));
  }));
}

TEST(AttentionTime, NeverFasterThanColdBytes) {
  EXPECT_TRUE(rc::check([] {
    const AttentionCase made = any_attention(*rc::gen::arbitrary<bool>());
    AttentionPlan plan = attention_plan(made.attention, made.precision, made.call, made.gpu);
    plan.warm = false;
    const double bytes = (plan.queries + plan.results + plan.keys).value();
    RC_ASSERT(attention_time(plan, machine_for(made)).time.value() >= bytes / made.gpu.level("DRAM").bandwidth.value());
  }));
}

TEST(AttentionTime, MorePromptsAreNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase made = any_attention(false);
    const GpuRates rates = machine_for(made);
    const double before = time_of(made, rates);
    made.attention.batch += *rc::gen::inRange(1, 300);
    RC_ASSERT(time_of(made, rates) >= before * (1 - 1e-12));
  }));
}

TEST(AttentionTime, LongerPromptsAndMoreHeadsAreNeverMuchFaster) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase made = any_attention(false);
    const GpuRates rates = machine_for(made);
    const double before = time_of(made, rates);
    const std::int64_t times = *rc::gen::inRange(1, 5);
    if (*rc::gen::arbitrary<bool>()) {
      made.attention.kv_len = made.attention.q_len = made.attention.q_len * times;
    } else {
      made.attention.heads *= times;
      made.attention.kv_heads *= times;
    }
    constexpr double kWaveStep = 0.1;  // of persistent CTAs, whose last wave is a mean
    RC_ASSERT(time_of(made, rates) >= before * (1 - kWaveStep));
  }));
}

// The splits of FlashAttention are not the fastest, so that more keys or sequences may be faster by as much.
TEST(AttentionTime, MoreKeysAndQueriesAreNeverMuchFaster) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase made = any_attention(true);
    const GpuRates rates = machine_for(made);
    const double before = time_of(made, rates);
    const std::int64_t times = *rc::gen::inRange(1, 5);
    if (*rc::gen::arbitrary<bool>()) {
      made.attention.kv_len *= times;
    } else {
      made.attention.batch *= times;
    }
    constexpr double kSplitStep = 0.5;
    RC_ASSERT(time_of(made, rates) >= before * (1 - kSplitStep));
  }));
}

TEST(AttentionTime, ASlowerMemoryIsNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    const AttentionCase made = any_attention(*rc::gen::arbitrary<bool>());
    const GpuRates rates = machine_for(made);
    GpuRates slower = rates;
    slower.dram /= 2;
    slower.l2 /= 2;
    RC_ASSERT(time_of(made, slower) >= time_of(made, rates));
  }));
}

}  // namespace
}  // namespace rooftile
