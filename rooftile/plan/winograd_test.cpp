#include "rooftile/plan/winograd.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/candidates.hpp"

namespace rooftile {
namespace {

OpShape winograd_shape(std::int64_t batch, std::int64_t in, std::int64_t size, std::int64_t out,
                       std::int64_t filter = 3) {
  Conv conv{.batch = batch, .in_channels = in, .out_channels = out};
  const std::int64_t pad = filter / 2;
  conv.axes[1] = conv.axes[2] = {.in = size, .filter = filter, .pad_begin = pad, .pad_end = pad};
  OpShape op;
  op.gemm = im2col(conv);
  return op;
}

std::vector<LaunchPlan> nonfused(const OpShape& op, bool later = false) {
  std::vector<LaunchPlan> plans;
  each_nonfused_winograd(op, later, [&](const LaunchPlan& plan) { plans.push_back(plan); });
  return plans;
}

// Grids that profilers reported for cuDNN's fused kernels (NeuSight, cuDNN 8.9): where the lay of the tiles that is
// taken here is the one that ran, the number of CTAs is the same.
TEST(Winograd, FusedGridsAreThoseOfMeasuredKernels) {
  EXPECT_EQ(fused_winograd(winograd_shape(38, 893, 5, 326)).launch(1).ctas, 209);     // 209 x 1 x 1
  EXPECT_EQ(fused_winograd(winograd_shape(3, 213, 14, 829)).launch(1).ctas, 78 * 2);  // 78 x 2 x 1
  EXPECT_EQ(fused_winograd(winograd_shape(18, 250, 27, 52)).launch(1).ctas, 18 * 7 * 2);
}

TEST(Winograd, FusedDoesAsManyMacsAChannelAsATileOf128) {
  const Launch gemm = fused_winograd(winograd_shape(16, 64, 56, 64)).launch(1);
  EXPECT_EQ(gemm.macs_per_step, 128 * 128);
  EXPECT_EQ(gemm.steps, 64);
}

// TensorRT's builder takes Winograd for 512 x 512 channels with 1 MiB of scratch, which no transformed filters fit
// (https://github.com/NVIDIA/TensorRT/issues/1090).
TEST(Winograd, EnginesKeepFiltersTransformed) {
  OpShape op = winograd_shape(1, 512, 28, 512);
  EXPECT_EQ(fused_winograd(op).move_count, 1);
  op.engine = true;
  EXPECT_EQ(fused_winograd(op).move_count, 0);
}

TEST(Winograd, UnfusedGridsAreThoseOfMeasuredKernels) {
  // maxwell_sgemm_64x64_nn, 7 x 11 x 36 CTAs for 40 x 237 x 10 x 10, 694 filters: 360 tiles of 4x4.
  bool found = false;
  for (const LaunchPlan& plan : nonfused(winograd_shape(40, 237, 10, 694))) {
    if (plan.tile.m == 64 && plan.tile.n == 64) found = plan.launch(2).ctas == 6 * 11 * 36;
  }
  EXPECT_TRUE(found);
}

TEST(Winograd, UnfusedGridsOfLaterWeightGradientsAreThoseOfMeasuredKernels) {
  const auto grid = [](std::int64_t channels, std::int64_t size, int edge) {
    OpShape op = winograd_shape(256, channels, size, channels);
    op.pass = Pass::bwd_weight;
    for (const LaunchPlan& plan : nonfused(op, true)) {
      if (plan.tile.m == edge) return plan.main.ctas;
    }
    return 0.0;
  };
  EXPECT_EQ(grid(64, 56, 32), 2 * 2 * 36);  // sm80_xmma_gemm_f32f32_…_tilesize32x32x8 on an H100
  EXPECT_EQ(grid(256, 14, 64), 4 * 4 * 36);
}

TEST(Winograd, UnfusedMovesTransformedOperands) {
  // 1 x 8 x 4 x 4 with 16 filters: one tile of 6x6 points a channel.
  const LaunchPlan plan = nonfused(winograd_shape(1, 8, 4, 16)).front();
  ASSERT_EQ(plan.count(), 4U);
  EXPECT_EQ(plan.launch(0).dram_store, Bytes(4.0 * 36 * 8));
  EXPECT_EQ(plan.launch(1).dram_store, Bytes(4.0 * 36 * 8 * 16));
  EXPECT_EQ(plan.launch(3).dram_load, Bytes(4.0 * 36 * 16));
  EXPECT_EQ(plan.launch(3).dram_store, Bytes(4.0 * 16 * 16));
}

TEST(Winograd, TakesStrideOneSquareFiltersOfOneGroup) {
  EXPECT_TRUE(has_winograd(winograd_shape(1, 8, 14, 8)));
  EXPECT_TRUE(has_winograd(winograd_shape(1, 8, 14, 8, 5)));
  EXPECT_FALSE(has_fused_winograd(winograd_shape(1, 8, 14, 8, 5)));
  EXPECT_FALSE(has_winograd(winograd_shape(1, 8, 14, 8, 7)));
  OpShape strided = winograd_shape(1, 8, 14, 8);
  strided.gemm.stride[2] = 2;
  EXPECT_FALSE(has_winograd(strided));
  OpShape grouped = winograd_shape(1, 8, 14, 8);
  grouped.gemm.groups = 2;
  EXPECT_FALSE(has_winograd(grouped));
}

TEST(Winograd, OldLibrariesHaveItForMaxwellAndLater) {
  const auto transforms = [](const char* gpu, bool before_maxwell) {
    OpShape op = winograd_shape(16, 64, 56, 64);
    op.winograd_before_maxwell = before_maxwell;
    bool found = false;
    each_plan(op, find_gpu(gpu).value(), {}, [&](const LaunchPlan& plan) {
      found = found || plan.algorithm == Algorithm::winograd || plan.algorithm == Algorithm::winograd_nonfused;
    });
    return found;
  };
  EXPECT_FALSE(transforms("k40", false));
  EXPECT_TRUE(transforms("k40", true));
  EXPECT_TRUE(transforms("gtx-titan-x", false));
}

TEST(Winograd, RunsWeightGradientsAloneFromHopperOn) {
  const auto runs = [](const char* gpu, Pass pass, Algorithm algorithm) {
    OpShape op = winograd_shape(16, 64, 56, 64);
    op.pass = pass;
    bool found = false;
    each_plan(op, find_gpu(gpu).value(), {}, [&](const LaunchPlan& plan) { found |= plan.algorithm == algorithm; });
    return found;
  };
  EXPECT_TRUE(runs("h100-sxm5-80gb", Pass::bwd_weight, Algorithm::winograd_nonfused));
  EXPECT_FALSE(runs("h100-sxm5-80gb", Pass::fwd, Algorithm::winograd_nonfused));
  EXPECT_FALSE(runs("h100-sxm5-80gb", Pass::bwd_data, Algorithm::winograd));
  EXPECT_TRUE(runs("h100-sxm5-80gb", Pass::fwd, Algorithm::fft)) << "in its place";
  EXPECT_TRUE(runs("a100-sxm4-80gb", Pass::fwd, Algorithm::winograd)) << "ampere_scudnn_winograd_128x128";
  EXPECT_FALSE(runs("a100-sxm4-80gb", Pass::fwd, Algorithm::fft));
}

TEST(Winograd, KeplerSlowsGradientsByImplicitGemmOnly) {
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    OpShape op = winograd_shape(16, 64, 56, 64);
    op.pass = pass;
    bool slowed = false;
    each_plan(op, find_gpu("k80").value(), {}, [&](const LaunchPlan& plan) {
      const bool slow = plan.main.rate_share < 1;
      EXPECT_TRUE(!slow || plan.algorithm == Algorithm::implicit_gemm);
      slowed |= slow;
    });
    EXPECT_EQ(slowed, pass != Pass::fwd);
  }
}

}  // namespace
}  // namespace rooftile
