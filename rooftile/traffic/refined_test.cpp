#include "rooftile/traffic/refined.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

RefinedTraffic refined(const Conv& conv, const Gpu& gpu) {
  const Im2col gemm = im2col(conv);
  return refined_traffic(gemm, delta_plan(gemm, gpu), gpu, Bytes(4));
}

Gpu titan_xp() { return find_gpu("titan-xp").value(); }

Conv conv_of(std::int64_t batch, std::int64_t channels, std::int64_t map, std::int64_t filters, std::int64_t filter) {
  Conv conv;
  conv.batch = batch;
  conv.in_channels = channels;
  conv.out_channels = filters;
  for (const std::size_t axis : {1U, 2U}) {
    conv.axes[axis] = {.in = map, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  }
  return conv;
}

// One row of 64 channels of 56x56, 64 filters, pointwise: 3136 = 98 x 32 positions, so each warp of each channel asks
// for 4 whole sectors, 392 a channel; each of the 25 CTAs (3136 / 128 = 24.5) asks for 64 filters of 64 elements, steps
// of 4 elements in half a sector each: 64 x 16 sectors. From DRAM everything once.
TEST(Refined, PointwiseByHand) {
  const RefinedTraffic terms = refined(conv_of(1, 64, 56, 64, 1), titan_xp());
  EXPECT_DOUBLE_EQ(terms.l1_activations.value(), 64 * 392 * 32);
  EXPECT_DOUBLE_EQ(terms.l1_filters.value(), 25 * 64 * 16 * 32);
  EXPECT_DOUBLE_EQ(terms.dram_activations.value(), 64 * 3136 * 4);
  EXPECT_DOUBLE_EQ(terms.dram_filters.value(), 64 * 64 * 4);
  EXPECT_DOUBLE_EQ(terms.total.compulsory.value(), (64 * 3136 + 64 * 64) * 4);
  EXPECT_DOUBLE_EQ(terms.total.store_dram.value(), 64 * 3136 * 4);
}

// Padded 3x3 on rows of 64: of the three taps along the width the middle one takes 64 elements from the start of a
// sector (8 sectors); the left one 63 of them from there (8), split by the warp that ends in the middle of a sector
// (9); the right one 63 from one element on (8), split too (9). Along the height 64 + 63 + 63 rows are inside.
TEST(Refined, PaddingIsNotLoaded) {
  const RefinedTraffic terms = refined(conv_of(1, 8, 64, 64, 3), titan_xp());
  EXPECT_DOUBLE_EQ(terms.l1_activations.value(), 8 * 190 * (8 + 9 + 9) * 32);
}

// 33 rows and 5 columns of CTAs on 80 SMs: both CTAs of an SM are of different columns, and the 68 lines of filters of
// each push out those of the other from one step to the next. The simulator replays 84,187 kB.
TEST(Refined, FiltersOfTwoColumnsThatPushOneAnotherOutAreLoadedInEveryStep) {
  Conv conv = conv_of(5, 218, 1, 304, 1);
  conv.axes[2] = {.in = 831, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const RefinedTraffic terms = refined(conv, find_gpu("v100-sxm2-16gb").value());
  EXPECT_NEAR(terms.total.l2.value() / 84'187e3, 1, 0.02);
}

// 4 channels of 5 taps in 5 steps of 4: the steps meet 1, 2, 2, 2 and 1 channels, each of which has 128 positions in 4
// lines.
TEST(TileLoads, AStepThatEndsWithinAChannelLoadsOfTwo) {
  Conv conv = conv_of(1, 4, 1, 64, 1);
  conv.axes[2] = {.in = 128, .filter = 5, .pad_begin = 2, .pad_end = 2};
  const TileLoads loads = tile_loads(im2col(conv), {.m = 128, .n = 64, .k = 4}, titan_xp().level("L1"), Bytes(4));
  EXPECT_DOUBLE_EQ(loads.step_lines, 4 * (1 + 2 + 2 + 2 + 1) / 5.0);
}

// Stride 2: steps of 4 taps within a row of 5 load every second row of the input; those that end in the next row of
// taps, 3 of 5, load the rows between too. Replayed, a CTA loads 17.3 lines a step.
TEST(TileLoads, RowsBetweenThoseOfOneTapAreLoadedWithTheNextTap) {
  Conv conv = conv_of(8, 8, 34, 32, 5);
  for (const std::size_t axis : {1U, 2U}) conv.axes[axis].stride = 2;
  const TileLoads loads = tile_loads(im2col(conv), {.m = 128, .n = 32, .k = 4}, titan_xp().level("L1"), Bytes(4));
  EXPECT_NEAR(loads.step_lines, 17.3, 0.05 * 17.3);
}

TEST(Kept, IsAShareThatFallsWithWhatComesBetween) {
  constexpr double kLines = 1600;
  const CacheSets cache = cache_sets(kLines, 16);
  EXPECT_NEAR(kept(0, cache), 1, 1e-9);
  EXPECT_NEAR(kept(10 * kLines, cache), 0, 1e-9);
  EXPECT_NEAR(kept(0.97 * kLines, cache), 0.5, 0.02);  // 15.5 of 16 ways
  double before = 1;
  for (double others = 0; others < 2 * kLines; others += 10) {
    const double share = kept(others, cache);
    EXPECT_LE(share, before);
    before = share;
  }
}

TEST(Properties, EachLevelAsksNoMoreThanTheOneBefore) {
  const std::vector<Gpu> gpus = {titan_xp(), find_gpu("v100-sxm2-16gb").value(), find_gpu("h100-sxm5-80gb").value()};
  EXPECT_TRUE(rc::check([&] {
    const auto number = [](int from, int to) { return static_cast<std::int64_t>(*rc::gen::inRange(from, to + 1)); };
    Conv conv = conv_of(number(1, 64), 1, 1, 1, 1);
    conv.groups = number(1, 4);
    conv.in_channels = conv.groups * number(1, 300);
    conv.out_channels = conv.groups * number(1, 300);
    for (ConvAxis& axis : conv.axes) {
      axis.filter = number(1, 7);
      axis.stride = number(1, 9);
      axis.dilation = number(1, 3);
      axis.pad_begin = number(0, 6);
      axis.pad_end = number(0, 6);
      axis.in = number(1, 60);
    }
    RC_PRE(check(conv).has_value());
    const RefinedTraffic terms = refined(conv, *rc::gen::elementOf(gpus));
    RC_ASSERT(terms.total.l1 > Bytes(0));
    RC_ASSERT(terms.total.l2 <= terms.total.l1 * (1 + 1e-9));
    RC_ASSERT(terms.total.dram <= terms.total.l2 * (1 + 1e-9));
    RC_ASSERT(terms.total.dram > Bytes(0));
  }));
}

// An L2 that holds everything reads each column of tiles from DRAM no more than once.
TEST(Refined, ALargeL2KeepsTheActivationsForTheNextColumn) {
  Gpu gpu = titan_xp();
  const Conv conv = conv_of(32, 256, 28, 512, 3);
  EXPECT_GT(refined(conv, gpu).dram_activations.value(), 3.9 * 32 * 256 * 784 * 4);
  for (MemoryLevel& level : gpu.levels) {
    if (level.name == "L2") level.capacity = Bytes(1e9);
  }
  EXPECT_NEAR(refined(conv, gpu).dram_activations.value(), 32 * 256 * 784 * 4, 1e4);
}

}  // namespace
}  // namespace rooftile
