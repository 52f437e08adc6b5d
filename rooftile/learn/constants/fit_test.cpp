#include "rooftile/learn/constants/fit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/candidates.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {
namespace {

// Rows whose times were made with known constants and an overhead of 20 us: what a fit has to find again.
FitRows made_rows(const Constants& truth) {
  const Gpu gpu = *find_gpu("titan-xp");
  const PredictOptions options = {.method = Method::rooftile};
  FitRows rows;
  rows.scope = gpu.id;
  GpuRates rates = refined_model(RefinedOp::conv, gpu, options)->rates;
  rows.rates = {rates};
  rows.harnesses = {{KernelFamily::conv_simt, "framework", gpu.id, Seconds(20e-6), Seconds(0), 1, false}};
  rates.constants = truth;
  for (const std::int64_t channels : {16, 64, 256, 1024}) {
    for (const std::int64_t filters : {32, 96, 256, 1000}) {
      for (const std::int64_t size : {7, 14, 56}) {
        Conv conv{.batch = 16, .in_channels = channels, .out_channels = filters};
        conv.axes[1] = conv.axes[2] = {.in = size, .filter = 1};
        FitRow row;
        OpShape shape;
        shape.gemm = im2col(conv);
        std::vector<LaunchPlan> plans;
        each_plan(shape, gpu, {}, [&](const LaunchPlan& plan) { plans.push_back(plan); });
        row.kernels = chosen_of(std::move(plans));
        row.measured = fitted_time(row, {rates}, truth, rows.harnesses[0]);
        rows.rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

TEST(Fit, FindsTheConstantsThatMadeTheData) {
  Constants truth = unfitted_constants(KernelFamily::conv_simt);
  truth[ConvConstant::wide_efficiency] = 0.7;
  truth[ConvConstant::narrow_efficiency] = 0.9;
  truth[ConvConstant::prologue] = 30;
  const Fit found = fit(made_rows(truth), {.evaluations = 4000});
  EXPECT_LT(found.entry.gmae, 0.02);
  EXPECT_NEAR(found.entry.constants[ConvConstant::narrow_efficiency], 0.9, 0.05);
  EXPECT_NEAR(found.harnesses.at(0).overhead.value(), 20e-6, 4e-6);
}

TEST(Fit, NamesWhatTheRowsDoNotSee) {
  const Fit found = fit(made_rows(unfitted_constants(KernelFamily::conv_simt)), {.evaluations = 200});
  const auto unseen = [&](std::string_view name) {
    return std::find(found.unseen.begin(), found.unseen.end(), name) != found.unseen.end();
  };
  EXPECT_TRUE(unseen("winograd_efficiency"));
  EXPECT_TRUE(unseen("atomics"));
  EXPECT_FALSE(unseen("narrow_efficiency"));
}

}  // namespace
}  // namespace rooftile
