#include "rooftile/plan/tensor_candidates.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

OpShape product_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  Gemm gemm;
  gemm.batch = batch;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return {.gemm = im2col(gemm), .element = Bytes(2), .family = KernelFamily::tensor};
}

std::vector<LaunchPlan> tensor_plans(const OpShape& shape, std::string_view gpu, const PlanOptions& options = {}) {
  std::vector<LaunchPlan> plans;
  each_tensor_plan(shape, *find_gpu(gpu), options, [&](const LaunchPlan& plan) { plans.push_back(plan); });
  return plans;
}

bool has_tile(const std::vector<LaunchPlan>& plans, int m, int n) {
  return std::any_of(plans.begin(), plans.end(),
                     [&](const LaunchPlan& plan) { return plan.tile.m == m && plan.tile.n == n; });
}

TEST(TensorPlans, TilesAreThoseOfTheArchitecture) {
  const OpShape shape = product_of(4096, 4096, 64);
  EXPECT_FALSE(has_tile(tensor_plans(shape, "v100-sxm2-16gb"), 32, 64));
  EXPECT_TRUE(has_tile(tensor_plans(shape, "a100-sxm4-80gb"), 32, 64));
  EXPECT_FALSE(has_tile(tensor_plans(shape, "a100-sxm4-80gb"), 64, 16));
  EXPECT_TRUE(has_tile(tensor_plans(shape, "h100-sxm5-80gb"), 64, 16));
}

TEST(TensorPlans, BatchesOfOddRowsWaitForTheirLoadsOnTuring) {
  const auto share = [](std::int64_t batch, std::int64_t positions) {
    return tensor_plans(product_of(577, 64, positions, batch), "t4").at(0).main.product.rate_share;
  };
  EXPECT_LT(share(12, 577), 0.05);
  EXPECT_EQ(share(12, 584), 1);
  EXPECT_EQ(share(1, 577), 1) << "not known of a single product";
}

TEST(TensorPlans, AmdLibrariesHaveTilesOfTheirOwn) {
  const auto plans = tensor_plans(product_of(4096, 4096, 64), "mi100");
  EXPECT_TRUE(has_tile(plans, 96, 128));
  EXPECT_FALSE(has_tile(plans, 256, 128));
  PlanOptions options;
  options.kernel = "Cijk_Alik_Bljk_SB_MT128x64x32_MI32x32x2x1_SE_1LDSB0";
  for (const LaunchPlan& plan : tensor_plans(product_of(4096, 4096, 64), "mi100", options)) {
    EXPECT_EQ(std::max(plan.tile.m, plan.tile.n), 128);
    EXPECT_EQ(std::min(plan.tile.m, plan.tile.n), 64);
  }
}

TEST(TensorPlans, SkipTilesThatOnlyPadMore) {
  const auto plans = tensor_plans(product_of(20, 4096, 64), "a100-sxm4-80gb");
  EXPECT_TRUE(has_tile(plans, 32, 64));
  EXPECT_FALSE(has_tile(plans, 128, 64));
  EXPECT_TRUE(has_tile(plans, 64, 128)) << "no lower tile is as wide";
}

TEST(TensorPlans, LoseNothingToNarrowLoadsOncePadded) {
  const OpShape words = product_of(16384, 50257, 768);
  const auto share = [&](const PlanOptions& options) {
    return tensor_plans(words, "a100-sxm4-80gb", options).front().main.product.rate_share;
  };
  EXPECT_LT(share({}), 1);
  EXPECT_EQ(share({.padded_rows = true}), 1);
}

TEST(TensorPlans, SplitDeepProductsOfFewTiles) {
  const auto most = [](const std::vector<LaunchPlan>& plans) {
    double split = 0;
    for (const LaunchPlan& plan : plans) split = std::max(split, plan.split_k);
    return split;
  };
  EXPECT_EQ(most(tensor_plans(product_of(64, 64, 8192), "a100-sxm4-80gb")), 64);
  EXPECT_EQ(most(tensor_plans(product_of(64, 64, 128), "a100-sxm4-80gb")), 1);
  EXPECT_EQ(most(tensor_plans(product_of(16384, 16384, 8192), "a100-sxm4-80gb")), 1);
}

TEST(TensorPlans, WhatIsKnownOfTheKernelFixesTheTile) {
  PlanOptions options;
  options.kernel = "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_32x3_tn";
  for (const LaunchPlan& plan : tensor_plans(product_of(4096, 4096, 64), "a100-sxm4-80gb", options)) {
    EXPECT_EQ(std::max(plan.tile.m, plan.tile.n), 256);
    EXPECT_EQ(std::min(plan.tile.m, plan.tile.n), 128);
  }
  options.kernel = "somebody_s_gemm_96x48";
  EXPECT_EQ(tensor_plans(product_of(4096, 4096, 64), "a100-sxm4-80gb", options).size(), 10U)
      << "no such tile: all of them";
  options = {};
  options.split_k = 5;
  for (const LaunchPlan& plan : tensor_plans(product_of(64, 64, 8192), "a100-sxm4-80gb", options))
    EXPECT_EQ(plan.split_k, 5);
}

TEST(TensorPlans, CountCtasStepsAndBytes) {
  PlanOptions options;
  options.tile = Tile{128, 128, 8};
  options.split_k = 2;
  const auto plans = tensor_plans(product_of(200, 128, 100, 3), "a100-sxm4-80gb", options);
  ASSERT_EQ(plans.size(), 1U);
  const Launch& launch = plans[0].main;
  EXPECT_EQ(launch.ctas, 2 * 3 * 2);
  EXPECT_EQ(launch.steps, 64);  // 100 is four steps of 32, two for each part
  EXPECT_EQ(launch.resident, 2);
  EXPECT_EQ(launch.product.a_bytes, Bytes(200 * 100 * 3 * 2));
  EXPECT_EQ(launch.product.b_bytes, Bytes(128 * 100 * 3 * 2));
  EXPECT_EQ(launch.dram_store, Bytes(200 * 128 * 3 * 2));
  EXPECT_EQ(launch.l2_load, Bytes(12 * 64 * (128 + 128) * 2));
  EXPECT_EQ(launch.l2_store, launch.dram_store);
}

TEST(TensorPlans, PairsOfSmsWithTensorMemoryShareB) {
  PlanOptions options;
  options.tile = Tile{128, 256, 8};
  options.split_k = 1;
  const auto plan_on = [&](std::string_view gpu, std::int64_t m) {
    for (const LaunchPlan& plan : tensor_plans(product_of(m, 256, 64), gpu, options)) {
      if (plan.tile.m == 128) return plan.main;
    }
    return Launch{};
  };
  EXPECT_EQ(plan_on("h100-sxm5-80gb", 256).l2_load, Bytes(2 * 64 * 384 * 2));
  EXPECT_EQ(plan_on("b200-sxm-180gb", 256).l2_load, Bytes(2 * 64 * 256 * 2));
  EXPECT_EQ(plan_on("b200-sxm-180gb", 128).l2_load, Bytes(64 * 384 * 2)) << "one CTA has no pair";
  EXPECT_EQ(plan_on("h100-sxm5-80gb", 256).resident, 1);
  EXPECT_EQ(plan_on("b200-sxm-180gb", 256).resident, 2);
  EXPECT_EQ(plan_on("rtx-5090", 256).resident, 1) << "no tensor memory";
}

TEST(TensorPlans, OfTensileAreThoseOfTheKernelsName) {
  PlanOptions options;
  options.kernel = "Cijk_Ailk_Bljk_SB_MT16x8x32_SE_1LDSB0";
  OpShape shape = product_of(128, 196, 196, 64);
  shape.element = Bytes(4);
  for (const LaunchPlan& plan : tensor_plans(shape, "mi100", options)) {
    EXPECT_EQ(std::max(plan.tile.m, plan.tile.n), 16) << "a tile that is not on the list";
    EXPECT_EQ(std::min(plan.tile.m, plan.tile.n), 8);
    EXPECT_DOUBLE_EQ(plan.main.product.rate_share, 23.1 / 46.1) << "no matrix instruction: on the lanes";
  }
  options.kernel = "Cijk_Ailk_Bljk_SB_MT64x16x32_MI16x16x4x1_SE_1LDSB0";
  for (const LaunchPlan& plan : tensor_plans(shape, "mi100", options)) EXPECT_EQ(plan.main.product.rate_share, 1);
}

TEST(TensorPlans, RocblasDoesNotChooseByTheBatch) {
  const auto alone = [](const OpShape& shape, std::string_view gpu) {
    return tensor_plans(shape, gpu).front().main.product.chosen_alone;
  };
  EXPECT_TRUE(alone(product_of(512, 128, 512, 40), "mi210"));
  EXPECT_FALSE(alone(product_of(512, 64, 512, 40), "mi210")) << "heads of 64 were tuned as batches";
  EXPECT_FALSE(alone(product_of(512, 128, 512), "mi210"));
  EXPECT_FALSE(alone(product_of(512, 128, 512, 40), "mi300x")) << "hipBLASLt";
  EXPECT_FALSE(alone(product_of(512, 128, 512, 40), "a100-sxm4-80gb"));
}

TEST(TensorPlans, MultiplyWhileTheyLoadFromHopperOnInDataCentersAndInHipblaslt) {
  const auto asynchronous = [](std::string_view gpu) {
    return tensor_plans(product_of(4096, 4096, 4096), gpu).front().main.product.asynchronous;
  };
  EXPECT_TRUE(asynchronous("h100-sxm5-80gb"));
  EXPECT_TRUE(asynchronous("b200-sxm-180gb"));
  EXPECT_FALSE(asynchronous("a100-sxm4-80gb"));
  EXPECT_FALSE(asynchronous("rtx-5090"));
  EXPECT_TRUE(asynchronous("mi300x"));
  EXPECT_FALSE(asynchronous("mi210")) << "rocBLAS";
}

TEST(TensorPlans, OfInt8OnHopperAreSmallAndShareNoLoads) {
  OpShape shape = product_of(4096, 4096, 4096);
  const auto shared = [&](DType precision, std::string_view gpu, int m, int n) -> std::optional<bool> {
    shape.precision = precision;
    for (const LaunchPlan& plan : tensor_plans(shape, gpu)) {
      if (plan.tile.m == m && plan.tile.n == n) return plan.main.product.shares_loads;
    }
    return std::nullopt;
  };
  EXPECT_EQ(shared(DType::int8, "h100-sxm5-80gb", 128, 128), false);
  EXPECT_EQ(shared(DType::int8, "h100-sxm5-80gb", 256, 128), std::nullopt);
  EXPECT_EQ(shared(DType::tf32, "h100-sxm5-80gb", 128, 128), false);
  EXPECT_EQ(shared(DType::tf32, "h100-sxm5-80gb", 256, 128), true);
  EXPECT_EQ(shared(DType::bf16, "h100-sxm5-80gb", 128, 128), true);
  EXPECT_EQ(shared(DType::int8, "b200-sxm-180gb", 256, 128), true);
}

TEST(TensorPlans, Tf32OnHopperAndCdna3IsTransposedUnlessItLiesAlongK) {
  OpShape shape = product_of(1024, 1024, 1024);
  shape.precision = DType::tf32;
  shape.element = Bytes(4);
  const auto slowed = [&](std::string_view gpu) {
    for (const LaunchPlan& plan : tensor_plans(shape, gpu)) {
      if (plan.tile.m * plan.tile.n == 128 * 128) return plan.main.product.transposes;
    }
    return false;
  };
  EXPECT_TRUE(slowed("h100-sxm5-80gb"));
  EXPECT_TRUE(slowed("mi300x"));
  EXPECT_FALSE(slowed("a100-sxm4-80gb"));
  EXPECT_FALSE(slowed("b200-sxm-180gb"));
  shape.gemm.trans_b = true;
  EXPECT_FALSE(slowed("h100-sxm5-80gb")) << "the weights of a linear layer";
  shape.pass = Pass::bwd_data;
  EXPECT_TRUE(slowed("h100-sxm5-80gb"));
}

}  // namespace
}  // namespace rooftile
