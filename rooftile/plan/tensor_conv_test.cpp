#include "rooftile/plan/tensor_conv.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/conv.hpp"

namespace rooftile {
namespace {

Conv conv_of(std::int64_t in_channels, std::int64_t out_channels, const ConvAxis& axis) {
  Conv conv{.batch = 8, .in_channels = in_channels, .out_channels = out_channels};
  conv.axes[1] = conv.axes[2] = axis;
  return conv;
}

OpShape shape_of_conv(const Conv& conv, Pass pass = Pass::fwd, bool nhwc = false) {
  return {.gemm = im2col(conv), .pass = pass, .element = Bytes(2), .nhwc = nhwc, .family = KernelFamily::conv_tensor};
}

std::vector<LaunchPlan> conv_plans(const OpShape& shape, std::string_view gpu, const PlanOptions& options = {}) {
  std::vector<LaunchPlan> plans;
  each_tensor_conv_plan(shape, *find_gpu(gpu), options, [&](const LaunchPlan& plan) { plans.push_back(plan); });
  return plans;
}

bool offers(const std::vector<LaunchPlan>& plans, int m, int n) {
  return std::any_of(plans.begin(), plans.end(),
                     [&](const LaunchPlan& plan) { return plan.tile.m == m && plan.tile.n == n; });
}

constexpr ConvAxis kThree{.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};
constexpr const char* kVolta = "v100-sxm2-16gb";
constexpr const char* kTuring = "t4";
constexpr const char* kAmpere = "a100-sxm4-80gb";

TEST(TensorConvPlans, TilesAreThoseOfTheLibraryByPass) {
  const Conv conv = conv_of(256, 256, kThree);
  EXPECT_TRUE(offers(conv_plans(shape_of_conv(conv), kVolta), 64, 64));
  EXPECT_FALSE(offers(conv_plans(shape_of_conv(conv, Pass::bwd_data), kVolta), 128, 64));
  EXPECT_TRUE(offers(conv_plans(shape_of_conv(conv, Pass::bwd_data), kAmpere), 128, 64));
}

TEST(TensorConvPlans, ATileThatIsKnownIsRowsFirst) {
  PlanOptions options;
  options.kernel = "cutlass_tensorop_h1688fprop_optimized_256x128_32x2_nhwc_align8";
  const auto plans = conv_plans(shape_of_conv(conv_of(64, 256, kThree)), kAmpere, options);
  ASSERT_EQ(plans.size(), 1);
  EXPECT_EQ(plans[0].main.ctas, 98 * 2);  // 8 x 56 x 56 rows, 256 columns
}

TEST(TensorConvPlans, ATileOfATransposedProductIsColumnsFirst) {
  PlanOptions options;
  options.kernel = "nvjet_sm90_tst_64x256_64x2_1x2_h_bz_coopB_TNT";
  const auto plans = conv_plans(shape_of_conv(conv_of(64, 64, {.in = 56}), Pass::fwd, true), kAmpere, options);
  ASSERT_EQ(plans.size(), 1);
  EXPECT_EQ(plans[0].main.ctas, 98) << "8 x 56 x 56 rows in tiles of 256";
}

TEST(TensorConvPlans, MapsChangeTheirLayoutUnlessTheirChannelsAreContiguous) {
  const double map = 8 * 64 * 56 * 56 * 2, filters = 64 * 64 * 9 * 2;
  const Conv conv = conv_of(64, 64, kThree);
  const LaunchPlan forward = conv_plans(shape_of_conv(conv), kTuring).at(0);
  ASSERT_EQ(forward.move_count, 3) << "a table of taps first";
  EXPECT_EQ(forward.moves[1].load, Bytes(map));
  EXPECT_EQ(forward.moves[1].store, Bytes(map));
  EXPECT_EQ(forward.moves[2].load, Bytes(filters));
  const LaunchPlan ampere = conv_plans(shape_of_conv(conv), kAmpere).at(0);
  ASSERT_EQ(ampere.move_count, 3) << "and the result";
  EXPECT_EQ(ampere.before, 2);
  EXPECT_EQ(ampere.moves[2].store, Bytes(map));
  EXPECT_EQ(conv_plans(shape_of_conv(conv, Pass::fwd, true), kAmpere).at(0).move_count, 0);

  const LaunchPlan weights = conv_plans(shape_of_conv(conv, Pass::bwd_weight), kTuring).at(0);
  ASSERT_EQ(weights.move_count, 3);
  EXPECT_EQ(weights.before, 2);
  EXPECT_EQ(weights.moves[2].load, Bytes(2 * filters)) << "sums in FP32";
  EXPECT_EQ(weights.moves[2].store, Bytes(filters));
  EXPECT_EQ(conv_plans(shape_of_conv(conv, Pass::bwd_weight), kAmpere).at(0).move_count, 3) << "both operands";
}

TEST(TensorConvPlans, APointwiseStrideConvertsWhatItReads) {
  const Conv conv = conv_of(64, 256, {.in = 56, .filter = 1, .stride = 2});
  const LaunchPlan plan = conv_plans(shape_of_conv(conv), kTuring).at(0);
  ASSERT_EQ(plan.move_count, 1) << "filters of one tap lie the same in either layout";
  EXPECT_EQ(plan.moves[0].load, Bytes(8.0 * 64 * 28 * 56 * 2)) << "every other row, whole";
  EXPECT_EQ(plan.moves[0].store, Bytes(8.0 * 64 * 28 * 28 * 2));
}

TEST(TensorConvPlans, APointwiseConvolutionMultipliesPlanes) {
  const auto moves = [](std::int64_t side, Pass pass, const char* gpu) {
    return conv_plans(shape_of_conv(conv_of(64, 256, {.in = side, .filter = 1}), pass), gpu).at(0).move_count;
  };
  for (const char* gpu : {kVolta, kAmpere}) EXPECT_EQ(moves(14, Pass::fwd, gpu), 0);
  EXPECT_EQ(moves(14, Pass::bwd_data, kVolta), 1) << "dY; what it writes lies in planes";
  EXPECT_EQ(moves(14, Pass::bwd_data, kAmpere), 2);
  EXPECT_EQ(moves(14, Pass::bwd_weight, kVolta), 2) << "one operand, and the sums";
  EXPECT_EQ(moves(7, Pass::fwd, kVolta), 1) << "49 positions";
  EXPECT_EQ(moves(7, Pass::fwd, kAmpere), 2);
}

TEST(TensorConvPlans, FewChannelsFillLoadsAndOnVoltaSteps) {
  const Conv conv = conv_of(3, 64, {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3});
  const LaunchPlan ampere = conv_plans(shape_of_conv(conv), kAmpere).at(0);
  EXPECT_EQ(ampere.main.steps, 13 * 32) << "49 taps of 8";
  EXPECT_EQ(ampere.moves[0].store / ampere.moves[0].load, 8.0 / 3);
  EXPECT_EQ(conv_plans(shape_of_conv(conv), kVolta).at(0).main.steps, 49 * 32);
  EXPECT_EQ(conv_plans(shape_of_conv(conv, Pass::fwd, true), kAmpere).at(0).move_count, 2) << "whatever the layout";
}

TEST(TensorConvPlans, BrainFloatsOfFewChannelsFillSteps) {
  OpShape shape = shape_of_conv(conv_of(3, 64, {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3}));
  shape.precision = DType::bf16;
  EXPECT_EQ(conv_plans(shape, kAmpere).at(0).main.steps, 49 * 32);
}

TEST(TensorConvPlans, EnginesHaveKernelsForFirstLayers) {
  OpShape shape = shape_of_conv(conv_of(3, 64, {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3}),
                                Pass::fwd, true);
  shape.engine = true;
  const LaunchPlan half = conv_plans(shape, kTuring).at(0);
  EXPECT_EQ(half.main.steps, 13 * 32);
  EXPECT_EQ(half.move_count, 1) << "of the input: filters and the table of taps were made before";
  shape.element = Bytes(1);
  const LaunchPlan bytes = conv_plans(shape, kTuring).at(0);
  EXPECT_EQ(bytes.main.steps, 7 * 32) << "49 taps of 4";
  EXPECT_EQ(bytes.moves[0].store / bytes.moves[0].load, 4.0 / 3);
}

TEST(TensorConvPlans, VoltaHasNoTensorKernelForSomeGradients) {
  const ConvAxis seven{.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  const auto on_lanes = [](const Conv& conv, Pass pass, const char* gpu) {
    return conv_plans(shape_of_conv(conv, pass), gpu).at(0).main.product.on_lanes;
  };
  EXPECT_TRUE(on_lanes(conv_of(3, 64, seven), Pass::bwd_weight, kVolta));
  EXPECT_FALSE(on_lanes(conv_of(3, 64, seven), Pass::bwd_weight, kAmpere));
  EXPECT_FALSE(on_lanes(conv_of(3, 64, seven), Pass::fwd, kVolta));
  EXPECT_FALSE(on_lanes(conv_of(3, 64, kThree), Pass::bwd_weight, kVolta));
  const ConvAxis padded{.in = 7, .filter = 1, .stride = 2, .pad_begin = 3, .pad_end = 3};
  EXPECT_TRUE(on_lanes(conv_of(512, 512, padded), Pass::bwd_data, kVolta));
}

TEST(TensorConvPlans, ADataGradientSkipsTapsThatMeetNoOutput) {
  const ConvAxis strided{.in = 56, .filter = 4, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const OpShape shape = shape_of_conv(conv_of(64, 64, strided), Pass::bwd_data);
  EXPECT_EQ(conv_plans(shape, kVolta).at(0).main.steps, 8 * 64) << "along one axis";
  EXPECT_EQ(conv_plans(shape, kAmpere).at(0).main.steps, 4 * 64);

  const ConvAxis pointwise{.in = 56, .filter = 1, .stride = 2};
  const LaunchPlan plan = conv_plans(shape_of_conv(conv_of(64, 256, pointwise), Pass::bwd_data), kTuring).at(0);
  EXPECT_EQ(plan.main.product.m, 8 * 28 * 28);
  ASSERT_EQ(plan.move_count, 2);
  EXPECT_EQ(plan.moves[1].store, Bytes(8.0 * 64 * 56 * 56 * 2)) << "zeros where no tap meets";
}

// ResNeXt's groups share tiles, RegNet's are a product each.
TEST(TensorConvPlans, GroupsThatShareNoTileTakeWholeOnes) {
  Conv conv = conv_of(32 * 8, 32 * 8, kThree);
  conv.groups = 32;
  EXPECT_TRUE(offers(conv_plans(shape_of_conv(conv, Pass::bwd_data), kAmpere), 64, 32));
  EXPECT_TRUE(offers(conv_plans(shape_of_conv(conv, Pass::fwd, true), kAmpere), 64, 32));
  conv = conv_of(9 * 24, 9 * 24, kThree);
  conv.groups = 9;
  for (const OpShape& shape : {shape_of_conv(conv, Pass::bwd_data), shape_of_conv(conv, Pass::fwd, true)}) {
    const auto plans = conv_plans(shape, kAmpere);
    EXPECT_TRUE(offers(plans, 128, 128));
    EXPECT_FALSE(offers(plans, 64, 32));
    EXPECT_EQ(plans.at(0).main.steps, 9 * 32) << "a step for each tap of 24 channels";
  }
  const auto planes = conv_plans(shape_of_conv(conv), kAmpere);
  EXPECT_TRUE(offers(planes, 64, 32)) << "forward on NCHW";
  EXPECT_EQ(planes.at(0).main.steps, 7 * 32);
}

TEST(TensorConvPlans, OnlyWeightGradientsSplit) {
  const Conv conv = conv_of(64, 64, kThree);
  for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
    const auto plans = conv_plans(shape_of_conv(conv, pass), kAmpere);
    const bool splits = std::any_of(plans.begin(), plans.end(), [](const auto& plan) { return plan.split_k > 1; });
    EXPECT_EQ(splits, pass == Pass::bwd_weight);
  }
  PlanOptions options;
  options.split_k = 4;
  for (const LaunchPlan& plan : conv_plans(shape_of_conv(conv), kAmpere, options)) EXPECT_EQ(plan.split_k, 4);
}

// Each input of a filter as large as the map has one tap: the gradient multiplies no more than the forward pass.
TEST(TensorConvPlans, TheGradientOfOneOutputIsAPlainProduct) {
  const Conv conv = conv_of(512, 4096, {.in = 7, .filter = 7});
  const double inputs = 8.0 * 512 * 7 * 7;
  for (const char* gpu : {kVolta, kTuring, kAmpere}) {
    for (const LaunchPlan& plan : conv_plans(shape_of_conv(conv, Pass::bwd_data), gpu)) {
      const Launch& launch = plan.main;
      EXPECT_LE(launch.ctas * launch.macs_per_step * launch.steps, plan.tile.m / 8.0 * 1.1 * macs(conv)) << gpu;
      EXPECT_EQ(launch.dram_store, Bytes(2 * inputs)) << gpu;
    }
  }
}

// Inputs that no tap meets are stored all the same, as zeros.
TEST(TensorConvPlans, TheGradientOfOneOutputStoresEveryInput) {
  const Conv conv = conv_of(64, 64, {.in = 4, .filter = 3, .stride = 2});
  const LaunchPlan plan = conv_plans(shape_of_conv(conv, Pass::bwd_data), kAmpere).at(0);
  EXPECT_EQ(plan.main.product.n, 64 * 9);
  EXPECT_EQ(plan.main.dram_store, Bytes(2.0 * 8 * 64 * 4 * 4));
}

TEST(TensorConvPlans, ResultsMayBeWider) {
  OpShape shape = shape_of_conv(conv_of(64, 64, kThree));
  const Bytes narrow = conv_plans(shape, kAmpere).at(0).main.dram_store;
  shape.result = Bytes(4);
  EXPECT_EQ(conv_plans(shape, kAmpere).at(0).main.dram_store, narrow * 2.0);
}

}  // namespace
}  // namespace rooftile
