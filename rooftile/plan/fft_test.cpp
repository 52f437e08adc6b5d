#include "rooftile/plan/fft.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

OpShape fft_shape(std::int64_t batch, std::int64_t in, std::int64_t size, std::int64_t out, std::int64_t filter) {
  Conv conv{.batch = batch, .in_channels = in, .out_channels = out};
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter};
  OpShape op;
  op.gemm = im2col(conv);
  return op;
}

std::vector<LaunchPlan> fft_plans(const OpShape& op) {
  std::vector<LaunchPlan> plans;
  each_fft(op, [&](const LaunchPlan& plan) { plans.push_back(plan); });
  return plans;
}

TEST(Fft, TransformsWholeMapsOrTiles) {
  // 9x9 over 64x64: 56 outputs and 8 more positions fill 64; tiles of 32 have 24 outputs, three an axis.
  const std::vector<LaunchPlan> plans = fft_plans(fft_shape(2, 8, 64, 16, 9));
  ASSERT_EQ(plans.size(), 4U);
  ASSERT_EQ(plans[0].count(), 4U);
  EXPECT_EQ(plans[0].launch(0).dram_load, Bytes(4.0 * 2 * 8 * 64 * 64));
  EXPECT_EQ(plans[0].launch(0).dram_store, Bytes(8.0 * 32 * 17 * (2 * 9) * 8));
  EXPECT_EQ(plans[2].launch(0).dram_store, Bytes(8.0 * 64 * 33 * 2 * 8));
  EXPECT_EQ(plans[2].launch(1).dram_store, Bytes(8.0 * 64 * 33 * 8 * 16));
  EXPECT_EQ(plans[2].launch(3).dram_load, Bytes(8.0 * 64 * 33 * 2 * 16));
  EXPECT_EQ(plans[2].launch(2).ctas, 64 * 33);
  EXPECT_EQ(plans[2].launch(2).macs_per_step, 4 * 64 * 64);
  EXPECT_EQ(plans[3].launch(2).macs_per_step, 4 * 32 * 32);
  EXPECT_EQ(plans[2].launch(2).steps, 8);
}

TEST(Fft, SmallMapsNeedNoTiles) { EXPECT_EQ(fft_plans(fft_shape(1, 8, 32, 8, 9)).size(), 2U); }

TEST(Fft, LargeMapsAreTransformedInTwoGoes) {
  const LaunchPlan plan = fft_plans(fft_shape(1, 8, 128, 8, 11)).back();  // whole: 128 x 128 numbers are 64 KiB
  const double transformed = 8.0 * 128 * 65 * 8;
  EXPECT_EQ(plan.launch(0).dram_load, Bytes(4.0 * 8 * 128 * 128 + transformed));
  EXPECT_EQ(plan.launch(0).dram_store, Bytes(2 * transformed));
  EXPECT_EQ(plan.launch(3).dram_load, Bytes(2 * transformed));
  EXPECT_EQ(plan.launch(3).dram_store, Bytes(4.0 * 8 * 118 * 118 + transformed));
}

TEST(Fft, TheGradientOfTheFiltersSumsOverTheTiles) {
  OpShape op = fft_shape(128, 128, 32, 128, 9);
  op.pass = Pass::bwd_weight;
  const LaunchPlan plan = fft_plans(op).front();
  EXPECT_EQ(plan.main.steps, 128);  // one tile a sample
  EXPECT_EQ(plan.main.ctas, 32 * 17 * 2 * 2);
  EXPECT_EQ(plan.launch(3).dram_store, Bytes(4.0 * 81 * 128 * 128));
}

TEST(Fft, TakesStrideOneFiltersOfOneGroup) {
  EXPECT_TRUE(has_fft(fft_shape(1, 8, 64, 8, 9)));
  EXPECT_FALSE(has_fft(fft_shape(1, 8, 64, 8, 1)));
  EXPECT_FALSE(has_fft(fft_shape(1, 8, 64, 8, 17)));
  OpShape strided = fft_shape(1, 8, 64, 8, 9);
  strided.gemm.stride[1] = 2;
  EXPECT_FALSE(has_fft(strided));
}

}  // namespace
}  // namespace rooftile
