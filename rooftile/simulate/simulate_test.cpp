#include "rooftile/simulate/simulate.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/usable_l1.hpp"
#include "rooftile/simulate/test_gpu.hpp"

namespace rooftile {
namespace {

using test::conv_of;
using test::gpu_of;
using test::plan_of;

constexpr double kLarge = 4096;  // lines, more than any of these layers has

Simulation run(const Im2col& gemm, const Tile& tile, const Gpu& gpu, const SimulateOptions& options = {},
               double active = 1) {
  const auto simulation = simulate(gemm, plan_of(gemm, tile, active), gpu, options);
  EXPECT_TRUE(simulation) << (simulation ? "" : simulation.error().text());
  return simulation.value_or(Simulation{});
}

double sectors(double bytes) { return bytes / test::kSector.value(); }

// 8 channels of 4x4, 2 filters: one CTA, one step. A channel is 64 bytes, two sectors: 8 x 2. Both filters are 16
// neighbouring elements: 2. Nothing repeats. Two output channels of 64 bytes: 4.
TEST(HandCounted, PointwiseConvolution) {
  const auto counted = run(im2col(conv_of(1, 8, 4, 2, 1)), {32, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(counted.l1), 18);
  EXPECT_EQ(sectors(counted.l2), 18);
  EXPECT_EQ(sectors(counted.dram), 18);
  EXPECT_EQ(sectors(counted.store_l2), 4);
  EXPECT_EQ(sectors(counted.store_dram), 4);
}

// One 4x4 channel: rows of 16 bytes, two to a sector, half a line in all. Each of the 9 taps reaches at least one row
// of either sector (rows 0 to 2, 0 to 3 or 1 to 3): 9 x 2. The filter is 9 elements; the steps read elements 0 to 3, 4
// to 7 and 8: 1 sector each, the first two the same.
TEST(HandCounted, PaddedThreeByThree) {
  const Im2col gemm = im2col(conv_of(1, 1, 4, 1, 3, 1, 1));
  const Gpu gpu = gpu_of(1, kLarge, kLarge);
  const auto counted = run(gemm, {32, 32, 4}, gpu).bytes;
  EXPECT_EQ(sectors(counted.l1), 18 + 3);
  EXPECT_EQ(sectors(counted.l2), 2 + 2);
  EXPECT_EQ(sectors(counted.dram), 2 + 2);
  // Whole lines: each of the 9 + 3 requests touches one.
  EXPECT_EQ(counted.l1_lines, 12 * 128);

  const auto bypassed = run(gemm, {32, 32, 4}, gpu, {.l1 = false}).bytes;
  EXPECT_EQ(sectors(bypassed.l1), 18 + 3);
  EXPECT_EQ(sectors(bypassed.l2), 18 + 3);
  EXPECT_EQ(sectors(bypassed.dram), 2 + 2);
}

// The same with an L1 of one line, which activations and filter take from each other in each of the 3 steps; the taps
// of one step share it: 3 x (2 + 1). With one tap a step every request misses: 9 x (2 + 1). An L2 of one line as well:
// nothing hits anywhere.
TEST(HandCounted, ACacheOfOneLine) {
  const Im2col gemm = im2col(conv_of(1, 1, 4, 1, 3, 1, 1));
  EXPECT_EQ(sectors(run(gemm, {32, 32, 4}, gpu_of(1, 1, kLarge)).bytes.l2), 9);
  const auto every = run(gemm, {32, 32, 1}, gpu_of(1, 1, 1)).bytes;
  EXPECT_EQ(sectors(every.l1), 27);
  EXPECT_EQ(sectors(every.l2), 27);
  EXPECT_EQ(sectors(every.dram), 27);
}

// 64 positions in a row. Stride 2 takes 32 of them from all 8 sectors; stride 16 takes 4 from 4 sectors of 2 lines. The
// filter is one element.
TEST(HandCounted, Strides) {
  Conv conv;
  conv.axes[2] = {.in = 64, .stride = 2};
  const auto two = run(im2col(conv), {32, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(two.dram), 8 + 1);
  conv.axes[2].stride = 16;
  const auto sixteen = run(im2col(conv), {32, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(sixteen.l1), 4 + 1);
  EXPECT_EQ(sixteen.l1_lines, (2 + 1) * 128);
  EXPECT_EQ(sectors(sixteen.dram), 4 + 1);
  EXPECT_EQ(sectors(sixteen.store_dram), 1);
}

// Two groups of one channel of 8 elements (a sector) and one filter element each; the elements share a sector. One CTA
// a group: 2 sectors each. On one SM the second finds the filters in the L1, on two SMs in the L2.
TEST(HandCounted, Groups) {
  Conv conv;
  conv.in_channels = conv.out_channels = conv.groups = 2;
  conv.axes[2].in = 8;
  const auto one = run(im2col(conv), {32, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(one.l1), 4);
  EXPECT_EQ(sectors(one.l2), 3);
  EXPECT_EQ(sectors(one.dram), 3);
  const auto two = run(im2col(conv), {32, 32, 8}, gpu_of(2, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(two.l2), 4);
  EXPECT_EQ(sectors(two.dram), 3);
}

// 4 x 16 times 16 x 3 in a tile of 128x32x8. A row of A is 64 bytes: a step takes a sector of each of 4 rows, in 2
// lines; B the same with 3 rows. Two steps: 14 sectors, 8 lines. C is 12 elements in rows of 3, stored row by row:
// sectors 0; 0; 0 and 1; 1.
TEST(HandCounted, GemmSmallerThanATile) {
  const auto counted = run(im2col(Gemm{.m = 4, .n = 3, .k = 16}), {128, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(counted.l1), 14);
  EXPECT_EQ(counted.l1_lines, 8 * 128);
  EXPECT_EQ(sectors(counted.l2), 14);
  EXPECT_EQ(sectors(counted.dram), 14);
  EXPECT_EQ(sectors(counted.store_l2), 5);
  EXPECT_EQ(sectors(counted.store_dram), 2);
}

// Half-precision elements: a row of A is 32 bytes, a step half of it, in one sector: 2 steps x (4 + 3), half of them
// found again.
TEST(HandCounted, TwoByteElements) {
  const auto counted =
      run(im2col(Gemm{.m = 4, .n = 3, .k = 16}), {128, 32, 8}, gpu_of(1, kLarge, kLarge), {.element = Bytes(2)}).bytes;
  EXPECT_EQ(sectors(counted.l1), 14);
  EXPECT_EQ(sectors(counted.l2), 7);
}

// 8 channels of 8x8, 64 filters, tile 32x32x8: 2 rows x 2 columns of CTAs, down the rows first. A CTA asks for 8 x 4
// sectors of activations and 32 of filters. On two SMs each gets one row and both columns: its activations once, both
// filter tiles: 96. With both CTAs of a column on one SM at a time, as one SM has it, everything once: 128. DRAM
// always: 64 + 64. Warm: nothing.
TEST(HandCounted, ColumnsShareActivationsAndRowsShareFilters) {
  const Im2col gemm = im2col(conv_of(1, 8, 8, 64, 1));
  const auto two = run(gemm, {32, 32, 8}, gpu_of(2, kLarge, kLarge)).bytes;
  EXPECT_EQ(sectors(two.l1), 4 * 64);
  EXPECT_EQ(sectors(two.l2), 2 * 96);
  EXPECT_EQ(sectors(two.dram), 128);
  EXPECT_EQ(sectors(two.store_l2), 64 * 8);
  EXPECT_EQ(sectors(two.store_dram), 64 * 8);
  EXPECT_EQ(sectors(run(gemm, {32, 32, 8}, gpu_of(1, kLarge, kLarge)).bytes.l2), 128);
  const auto warm = run(gemm, {32, 32, 8}, gpu_of(2, kLarge, kLarge), {.start = Start::warm}).bytes;
  EXPECT_EQ(sectors(warm.l2), 2 * 96);  // the L1s start empty
  EXPECT_EQ(sectors(warm.dram), 0);
  EXPECT_EQ(sectors(warm.store_dram), 64 * 8);  // what the earlier run stored is written back before
}

// Activations of 32 lines (each 4 sectors), filters of 8 elements a step: with an L2 of 16 lines and two columns the
// activations come from DRAM twice, with one of 64 lines once.
TEST(HandCounted, TheL2KeepsActivationsForTheNextColumnIfTheyFit) {
  const Im2col gemm = im2col(conv_of(1, 1, 32, 64, 1));  // 1024 positions, 32 CTAs a column
  const auto small = run(gemm, {32, 32, 8}, gpu_of(1, 1, 16), {.ways = 0}).bytes;
  const auto large = run(gemm, {32, 32, 8}, gpu_of(1, 1, kLarge), {.ways = 0}).bytes;
  EXPECT_EQ(sectors(small.dram) - sectors(large.dram), 128 + 64 * 4 - 8);
  EXPECT_EQ(sectors(large.dram), 128 + 8);
}

// A share of the L1, or of what shared memory leaves where both are one array.
TEST(UsableL1, SharedMemoryIsTakenFromAJointArray) {
  Gpu gpu = gpu_of(1, 1024, 1024);  // 128 KiB
  gpu.levels[0].usable = 0.5;
  EXPECT_EQ(usable_l1(gpu), Bytes(64 * 1024));
  gpu.sm.smem = Bytes(96 * 1024);
  EXPECT_EQ(usable_l1(gpu), Bytes(16 * 1024));
}

// Samples of a few waves against every CTA: several columns, the last one not full; a last wave that is not full; short
// columns; groups whose activations the L2 keeps. Three standard errors, and 0.5 % for what the warm-up leaves out.
TEST(Simulate, ASampleAgreesWithTheWholeWithinItsError) {
  Conv grouped = conv_of(8, 512, 14, 512, 3, 1, 1);
  grouped.groups = 128;
  struct Case {
    Im2col gemm;
    Start start = Start::cold;
  };
  for (const Case& one : {Case{im2col(conv_of(24, 24, 56, 80, 3, 1, 1)), Start::cold},
                          Case{im2col(conv_of(24, 24, 56, 80, 3, 1, 1)), Start::warm},
                          Case{im2col(conv_of(16, 48, 57, 64, 5, 2, 2)), Start::cold},
                          Case{im2col(conv_of(4, 128, 28, 512, 1)), Start::cold}, Case{im2col(grouped), Start::cold}}) {
    const Gpu gpu = gpu_of(3, 128, 512);
    const Plan plan = plan_of(one.gemm, {64, 32, 8}, 2);
    const auto all = simulate(one.gemm, plan, gpu, {.start = one.start, .exact_up_to = 1e18});
    const auto sample = simulate(one.gemm, plan, gpu, {.start = one.start, .exact_up_to = 0});
    ASSERT_TRUE(all && sample);
    EXPECT_EQ(all->replayed_share, 1);
    EXPECT_LT(sample->replayed_share, 0.7);
    const auto close = [](double sampled, double whole, double error) {
      EXPECT_NEAR(sampled, whole, 3 * error + 0.005 * whole);
    };
    close(sample->bytes.l1, all->bytes.l1, sample->standard_error.l1);
    close(sample->bytes.l2, all->bytes.l2, sample->standard_error.l2);
    close(sample->bytes.dram, all->bytes.dram, sample->standard_error.dram);
    close(sample->bytes.store_l2, all->bytes.store_l2, sample->standard_error.store_l2);
    close(sample->bytes.store_dram, all->bytes.store_dram, sample->standard_error.store_dram);
  }
}

TEST(Simulate, RefusesWhatItCannotSplitIntoSectors) {
  const Im2col gemm = im2col(Gemm{.m = 4, .n = 3, .k = 16});
  Gpu gpu = gpu_of(1, 16, 16);
  EXPECT_FALSE(simulate(gemm, plan_of(gemm, {}), gpu, {.element = Bytes(3)}));
  gpu.levels[1].sector = Bytes(48);
  const auto result = simulate(gemm, plan_of(gemm, {}), gpu);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "L2");
  const Im2col huge = im2col(Gemm{.m = 1 << 30, .n = 1 << 30, .k = 1 << 30});
  EXPECT_FALSE(simulate(huge, plan_of(huge, {}), gpu_of(1, 16, 16)));
}

// A year of replaying is refused before it begins, and so is a walk over more columns than anybody waits for.
TEST(Simulate, WhatWouldTakeHoursIsRefused) {
  const auto error_of = [](const Gemm& gemm) {
    const Im2col conv = im2col(gemm);
    const auto simulation = simulate(conv, plan_of(conv, {128, 128, 8}, 1), gpu_of(1, kLarge, kLarge));
    return simulation ? "" : simulation.error().text();
  };
  const std::int64_t size = 1 << 16, most = std::int64_t{1} << 31;
  EXPECT_EQ(error_of({.m = size, .n = size, .k = most}),
            "at least 5.8e+11 requests of warps to replay, about 9 hours; at most 1.0e+11 are taken");
  EXPECT_NE(error_of({.m = 1, .n = most * 1024, .k = 64}), "");
  EXPECT_EQ(error_of({.m = 256, .n = 256, .k = 64}), "");
}

}  // namespace
}  // namespace rooftile
