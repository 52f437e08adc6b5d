#include "rooftile/roofline/from_prediction.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ops/builder.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile::roofline {
namespace {

class FromPrediction : public testing::Test {
 protected:
  Gpu gpu = find_gpu("v100-sxm2-16gb").value();
  Roof roof = roof_of(gpu);

  // A layer of the published convolution study: 16 samples, 112 x 112 x 64.
  static Conv conv(std::int64_t filter, std::int64_t stride) {
    Conv made{.batch = 16, .in_channels = 64, .out_channels = 64};
    for (const std::size_t axis : {1, 2}) {
      made.axes[axis] = {.in = 112, .filter = filter, .stride = stride, .pad_begin = filter / 2, .pad_end = filter / 2};
    }
    return made;
  }

  Kernel kernel(const LayerEstimate& layer, DType precision) const { return kernel_of(layer, precision, gpu, roof); }
};

TEST_F(FromPrediction, CountsTheFlopsOfADirectConvolution) {
  const LayerEstimate layer = estimate(conv(9, 2), gpu);
  const Kernel made = kernel(layer, DType::fp32);
  EXPECT_NEAR(made.total_flops().value(), 3.33e10, 1e8);  // as published
  EXPECT_EQ(made.unit, Peak::fp32);
  EXPECT_EQ(made.launches, layer.kernels);
  ASSERT_EQ(made.bytes.size(), 3U);
  EXPECT_EQ(made.bytes[2], layer.traffic.dram + layer.traffic.store_dram);
  EXPECT_EQ(made.bytes[1], layer.traffic.l2 + layer.traffic.store_l2);
}

TEST_F(FromPrediction, LessThanATransferIsNone) {
  LayerEstimate layer = estimate(conv(3, 1), gpu);
  layer.traffic.dram = Bytes(1e-9);
  layer.traffic.store_dram = Bytes(0);
  EXPECT_EQ(kernel(layer, DType::fp32).bytes[2], Bytes(0));
}

TEST_F(FromPrediction, CountsWhatWinogradExecutes) {
  PredictOptions options;
  options.plan.algorithm = "winograd";
  const LayerEstimate layer = estimate(conv(3, 1), gpu, options);
  const double direct = layer.flops.value();
  EXPECT_NEAR(direct, 1.48e10, 1e8);
  // Published: 7.0e9 counted. Products of tiles alone are 16/36 of the direct count, transforms come on top.
  EXPECT_GT(executed_flops(layer).value(), direct * 16 / 36 * 0.999);
  EXPECT_LT(executed_flops(layer).value(), 7.0e9);
}

TEST_F(FromPrediction, UnitFollowsPrecisionAndOperator) {
  PredictOptions half;
  half.precision = DType::fp16;
  EXPECT_EQ(unit_of(estimate(conv(3, 1), gpu, half), DType::fp16, gpu), Peak::tensor_fp16);
  EXPECT_EQ(
      unit_of(estimate(StreamLayer{.kind = StreamKind::gelu, .rows = 8, .columns = 8}, gpu, half), DType::fp16, gpu),
      Peak::fp32);
  const Gpu p100 = find_gpu("p100-pcie-16gb").value();
  EXPECT_EQ(unit_of(estimate(conv(3, 1), p100, half), DType::fp16, p100), Peak::fp32);
  EXPECT_EQ(unit_of(estimate(conv(3, 1), gpu, {.method = Method::delta}), DType::fp16, gpu), Peak::fp32);
}

TEST_F(FromPrediction, LevelsWithoutATrafficModelHaveNoBytes) {
  roof.levels.insert(roof.levels.begin() + 2, {"MALL", BytesPerSecond(1e12)});
  const Kernel made = kernel(estimate(conv(3, 1), gpu), DType::fp32);
  ASSERT_EQ(made.bytes.size(), 4U);
  EXPECT_FALSE(made.bytes[2]);
  EXPECT_TRUE(made.bytes[3]);
}

TEST_F(FromPrediction, LayersThatTakeNoTimeHaveNoPoint) {
  Prediction prediction;
  LayerEstimate view;
  view.method = Method::none;
  prediction.layers = {view, estimate(conv(3, 1), gpu)};
  const View made = view_of(prediction, gpu, roof);
  EXPECT_EQ(made.kernels.size(), 1U);
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes[0], "Layers without a point, as they move no data: 1.");
  EXPECT_EQ(made.level, 2U);
  EXPECT_EQ(total_time(made, Origin::predicted), made.kernels[0].time);
  EXPECT_EQ(total_time(made, Origin::measured), Seconds(0));
  EXPECT_TRUE(point_of(made, made.kernels[0]));
}

}  // namespace
}  // namespace rooftile::roofline
