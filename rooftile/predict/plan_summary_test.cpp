#include "rooftile/predict/plan_summary.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

// 8 x 64 x 28 x 28 with 3x3 filters to 32 channels.
Conv small_conv() {
  Conv conv;
  conv.batch = 8;
  conv.in_channels = 64;
  conv.out_channels = 32;
  conv.axes[1] = conv.axes[2] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return conv;
}

LayerEstimate by(Method method, Pass pass = Pass::fwd, const std::string& algorithm = "implicit_gemm") {
  PredictOptions options{.method = method, .pass = pass};
  if (method == Method::rooftile) options.plan.algorithm = algorithm;
  return estimate(small_conv(), find_gpu("titan-xp").value(), options);
}

TEST(PlanSummary, MethodsAgreeOnTheProduct) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const auto delta = plan_summary(by(Method::delta), gpu.sm_count);
  const auto refined = plan_summary(by(Method::rooftile), gpu.sm_count);
  ASSERT_TRUE(delta && refined);
  for (const PlanSummary& plan : {*delta, *refined}) {
    EXPECT_EQ(plan.m, 8 * 28 * 28);
    EXPECT_EQ(plan.n, 32);
    EXPECT_EQ(plan.k, 64 * 9);
    EXPECT_EQ(plan.groups, 1);
    EXPECT_EQ(plan.algorithm, Algorithm::implicit_gemm);
    EXPECT_EQ(plan.ctas, std::ceil(plan.m / plan.tile.m) * std::ceil(plan.n / plan.tile.n));
    EXPECT_GE(plan.waves * plan.active_ctas_per_sm * gpu.sm_count, plan.ctas);
    EXPECT_EQ(plan.split_k, 1);
  }
}

TEST(PlanSummary, ABackwardPassIsAProductOfItsOwn) {
  const auto plan = plan_summary(by(Method::rooftile, Pass::bwd_weight), 30);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->m, 64 * 9);
  EXPECT_EQ(plan->n, 32);
  EXPECT_EQ(plan->k, 8 * 28 * 28);
  EXPECT_EQ(plan->ctas, std::ceil(plan->m / plan->tile.m) * std::ceil(plan->n / plan->tile.n) * plan->split_k);
  EXPECT_EQ(plan->kernels, plan->split_k > 1 ? 2 : 1);
}

TEST(PlanSummary, OnTensorCoresFiltersAreTheRowsOfTheirGradient) {
  const PredictOptions options{.pass = Pass::bwd_weight, .precision = DType::fp16};
  const auto plan = plan_summary(estimate(small_conv(), find_gpu("a100-sxm4-80gb").value(), options), 108);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->m, 32);
  EXPECT_EQ(plan->n, 64 * 9);
  EXPECT_EQ(plan->k, 8 * 28 * 28);
}

TEST(PlanSummary, TheMainLaunchIsTheOneWithMostCtas) {
  const LayerEstimate layer = by(Method::rooftile, Pass::fwd, "winograd_nonfused");
  ASSERT_EQ(layer.breakdown.size(), 1U);
  const LaunchPlan& plan = first_plan<RefinedKernel>(layer)->plan;
  const auto summary = plan_summary(layer, 30);
  EXPECT_EQ(summary->algorithm, Algorithm::winograd_nonfused);
  EXPECT_EQ(summary->kernels, static_cast<double>(plan.count()));
  for (std::size_t i = 0; i < plan.count(); ++i) EXPECT_GE(summary->ctas, plan.launch(i).ctas);
}

TEST(PlanSummary, LayersThatWereNotPlannedHaveNone) { EXPECT_FALSE(plan_summary(by(Method::roofline), 30)); }

}  // namespace
}  // namespace rooftile
