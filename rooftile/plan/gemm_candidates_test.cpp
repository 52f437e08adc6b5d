#include "rooftile/plan/gemm_candidates.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/gemm_kernels.hpp"

namespace rooftile {
namespace {

std::vector<LaunchPlan> plans(const Gemm& gemm, const char* gpu, const PlanOptions& options = {},
                              Pass pass = Pass::fwd) {
  const OpShape op{.gemm = im2col(gemm), .pass = pass, .family = KernelFamily::gemm_simt};
  std::vector<LaunchPlan> all;
  each_plan(op, find_gpu(gpu).value(), options, [&](const LaunchPlan& plan) { all.push_back(plan); });
  return all;
}

TEST(GemmKernels, NamesGiveColumnsFirst) {
  const auto kernel = gemm_kernel_named("volta_sgemm_128x64_tn", false);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->tile(), (Tile{64, 128, 8}));
  EXPECT_FALSE(kernel->sliced);
}

TEST(GemmKernels, SlicedIsAnotherKernelOfTheSameTile) {
  const auto sliced = gemm_kernel_named("ampere_sgemm_128x32_sliced1x4_tn", false);
  const auto plain = gemm_kernel_named("ampere_sgemm_128x32_tn", false);
  ASSERT_TRUE(sliced && plain);
  EXPECT_EQ(sliced->efficiency, SimtGemmConstant::efficiency_128x32_sliced);
  EXPECT_EQ(plain->efficiency, SimtGemmConstant::efficiency_128x32);
}

TEST(GemmKernels, OldGpusHaveConstantsOfTheirOwn) {
  EXPECT_EQ(gemm_kernel_named("maxwell_sgemm_64x64_tn", true)->efficiency, SimtGemmConstant::old_efficiency_64x64);
}

TEST(GemmKernels, UnknownNamesGiveNothing) {
  EXPECT_FALSE(gemm_kernel_named("gemmk1_kernel", false));
  EXPECT_FALSE(gemm_kernel_named("sgemm_32x32x32_NN_vec", false));
}

TEST(GemmKernels, ResidentCtasByHand) {
  const SmLimits volta = find_gpu("v100-pcie-32gb")->sm;
  EXPECT_EQ(resident_ctas(*gemm_kernel_named("128x128", false), volta), 2);          // 65536 / (256 x 128) registers
  EXPECT_EQ(resident_ctas(*gemm_kernel_named("64x64", false), volta), 8);            // 65536 / (64 x 120) registers
  EXPECT_EQ(resident_ctas(*gemm_kernel_named("32x32_sliced1x4", false), volta), 3);  // 96 KiB / 32 KiB
  const SmLimits turing = find_gpu("t4")->sm;
  EXPECT_EQ(resident_ctas(*gemm_kernel_named("64x32_sliced1x4", false), turing), 1);  // 64 KiB / 48 KiB
}

TEST(GemmCandidates, AmdsLanesHaveTilesDownTo16) {
  std::set<std::pair<int, int>> tiles;
  for (const LaunchPlan& plan : plans({.batch = 8, .m = 512, .n = 512, .k = 64}, "mi50")) {
    tiles.insert({plan.tile.m, plan.tile.n});
    EXPECT_EQ(plan.split_k, 1);
  }
  EXPECT_EQ(tiles.size(), 12U);
  EXPECT_TRUE(tiles.contains({16, 16}) && tiles.contains({128, 128}));
}

TEST(GemmCandidates, CtasByHand) {
  PlanOptions options{.kernel = "volta_sgemm_128x64_tn"};
  options.split_k = 3;
  const auto all = plans({.m = 100, .n = 300, .k = 1000, .trans_b = true}, "v100-pcie-32gb", options);
  ASSERT_EQ(all.size(), 1U);
  const Launch& launch = all[0].main;
  EXPECT_EQ(launch.ctas, 2 * 3 * 3);  // ceil(100 / 64) x ceil(300 / 128) x split
  EXPECT_EQ(launch.steps, 336);       // ceil(1000 / 3) = 334, whole steps of 8
  EXPECT_EQ(launch.warps, 4);
  EXPECT_EQ(launch.product.split, 3);
}

TEST(GemmCandidates, KernelsDependOnGenerationAndStorage) {
  const Gemm row_major{.m = 4096, .n = 4096, .k = 32}, weights{.m = 4096, .n = 4096, .k = 32, .trans_b = true};
  EXPECT_EQ(plans(row_major, "p4").size(), 2U);
  EXPECT_EQ(plans(weights, "p4").size(), 3U);
  EXPECT_EQ(plans(weights, "m40").size(), 2U);
  EXPECT_EQ(plans(row_major, "v100-pcie-32gb").size(), 8U);
  EXPECT_EQ(plans(weights, "v100-pcie-32gb").size(), 8U);
  EXPECT_EQ(plans(row_major, "a100-pcie-40gb").size(), 8U);
  const Gemm batch{.batch = 2, .m = 4096, .n = 4096, .k = 32};
  EXPECT_EQ(plans(batch, "p4").size(), 1U);
  EXPECT_EQ(plans(batch, "v100-pcie-32gb").size(), 4U);
  EXPECT_EQ(plans(batch, "a100-pcie-40gb").size(), 1U);
  EXPECT_EQ(plans(batch, "vega-frontier-edition").size(), 12U) << "all tiles of Tensile";
}

TEST(GemmCandidates, EarlyLibrariesHaveLargeTilesForEitherStorage) {
  const OpShape op{.gemm = im2col(Gemm{.m = 4096, .n = 4096, .k = 32, .trans_b = true}),
                   .family = KernelFamily::gemm_simt,
                   .early_library = true};
  std::size_t kernels = 0;
  bool large = false;
  each_plan(op, find_gpu("p4").value(), {}, [&](const LaunchPlan& plan) {
    ++kernels;
    large = large || (plan.tile.m == 128 && plan.tile.n == 128);
  });
  EXPECT_EQ(kernels, 3U);
  EXPECT_TRUE(large);
}

TEST(GemmCandidates, MaxwellSplitsUntilEverySmHasACta) {
  for (const LaunchPlan& plan : plans({.m = 32, .n = 1536, .k = 6144}, "m40")) {
    EXPECT_LT(plan.main.ctas, 2 * 24);
    EXPECT_GE(plan.main.steps, 256);
  }
}

TEST(GemmCandidates, AFewRowsPadNoWideTile) {
  const auto has_few = [](const Gemm& gemm) {
    const auto all = plans(gemm, "t4");
    return std::any_of(all.begin(), all.end(), [](const LaunchPlan& plan) { return plan.tile.m == 8; });
  };
  EXPECT_TRUE(has_few({.m = 8, .n = 1000, .k = 2048}));
  EXPECT_FALSE(has_few({.m = 9, .n = 1000, .k = 2048}));
  EXPECT_FALSE(has_few({.m = 8, .n = 1000, .k = 2048, .trans_b = true}));
}

TEST(GemmCandidates, SplitsOnlyWhereTheyLeaveDepthAndBatchesOnlyWhereTheyAreDeep) {
  std::set<double> splits;
  for (const LaunchPlan& plan : plans({.m = 64, .n = 64, .k = 256, .trans_b = true}, "t4")) splits.insert(plan.split_k);
  EXPECT_EQ(splits, (std::set<double>{1, 2, 3, 4}));
  for (const LaunchPlan& plan : plans({.batch = 2, .m = 64, .n = 64, .k = 2047, .trans_b = true}, "t4")) {
    EXPECT_EQ(plan.split_k, 1);
  }
  double most = 1;
  for (const LaunchPlan& plan : plans({.batch = 2, .m = 64, .n = 64, .k = 4096, .trans_b = true}, "t4")) {
    most = std::max(most, plan.split_k);
  }
  EXPECT_EQ(most, 4) << "1,024 of k are left to each";
}

// 3 x 8 x 35,856, three of them, would take 700 times the roofline in three CTAs.
TEST(GemmCandidates, DeepBatchesAreSplitByEarlyLibrariesToo) {
  const auto most_split = [](std::int64_t k) {
    double most = 1;
    for (const LaunchPlan& plan : plans({.batch = 3, .m = 3, .n = 8, .k = k}, "m40")) {
      most = std::max(most, plan.split_k);
    }
    return most;
  };
  EXPECT_EQ(most_split(2047), 1);
  EXPECT_GT(most_split(35856), 8);
}

TEST(GemmCandidates, AMatrixTimesAVectorMultipliesNoPadding) {
  double least = 1e300;
  for (const LaunchPlan& plan : plans({.m = 1, .n = 1000, .k = 2048, .trans_b = true}, "t4")) {
    const Launch& launch = plan.main;
    least = std::min(least, launch.ctas * launch.macs_per_step * launch.steps);
  }
  EXPECT_EQ(least, 1000.0 * 2048);
  const auto has_gemv = [](const Gemm& gemm) {
    const auto all = plans(gemm, "t4");
    return std::any_of(all.begin(), all.end(), [](const LaunchPlan& plan) { return plan.tile.m * plan.tile.n == 4; });
  };
  EXPECT_TRUE(has_gemv({.m = 1000, .n = 1, .k = 2048}));
  EXPECT_FALSE(has_gemv({.m = 2, .n = 1000, .k = 2048}));
}

TEST(GemmCandidates, AnUnknownTileLeavesAll) {
  EXPECT_EQ(plans({.m = 4096, .n = 4096, .k = 32}, "v100-pcie-32gb", {.tile = Tile{48, 48, 8}}).size(), 8U);
}

TEST(GemmProducts, GradientsOfALinearLayer) {
  const Im2col linear = im2col(Gemm{.m = 2, .n = 3, .k = 5, .trans_b = true, .bias = true});
  const GemmProduct forward = gemm_product(linear, Pass::fwd);
  EXPECT_TRUE(forward.k_contiguous_a && forward.k_contiguous_b && forward.bias);
  const GemmProduct data = gemm_product(linear, Pass::bwd_data);  // dA[2,5] = dC[2,3] W[3,5]
  EXPECT_EQ(data.m, 2);
  EXPECT_EQ(data.n, 5);
  EXPECT_EQ(data.k, 3);
  EXPECT_TRUE(data.k_contiguous_a);
  EXPECT_FALSE(data.k_contiguous_b);
  const GemmProduct weight = gemm_product(linear, Pass::bwd_weight);  // dW[3,5] = dC^T[3,2] A[2,5]
  EXPECT_EQ(weight.m, 3);
  EXPECT_EQ(weight.n, 5);
  EXPECT_EQ(weight.k, 2);
  EXPECT_FALSE(weight.k_contiguous_a || weight.k_contiguous_b || weight.bias);
}

}  // namespace
}  // namespace rooftile
