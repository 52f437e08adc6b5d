#include "rooftile/plan/candidates.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

OpShape last_map(std::int64_t channels) {
  Conv conv{.batch = 1, .in_channels = channels, .out_channels = 512};
  conv.axes[1] = conv.axes[2] = {.in = 7};
  OpShape op;
  op.gemm = im2col(conv);
  op.engine = true;
  return op;
}

// Of the CTAs of 128x32.
double most_warps(const OpShape& op, std::string_view gpu) {
  double most = 0;
  each_plan(op, *find_gpu(gpu), {}, [&](const LaunchPlan& plan) {
    if (plan.tile.n == 32) most = std::max(most, plan.main.warps);
  });
  return most;
}

TEST(ConvPlans, WarpsOfAnEnginesKernelsShareK) {
  EXPECT_EQ(most_warps(last_map(512), "t4"), 8);
  EXPECT_EQ(most_warps(last_map(511), "t4"), 2);  // channels come four at a time
  EXPECT_EQ(most_warps(last_map(512), "titan-xp"), 2);
  OpShape eager = last_map(512);
  eager.engine = false;
  EXPECT_EQ(most_warps(eager, "t4"), 2);
}

}  // namespace
}  // namespace rooftile
