// What factors of a GPU do to the refined method's times.
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

Conv large_conv() {
  Conv conv{.batch = 64, .in_channels = 256, .out_channels = 256};
  conv.axes[1] = conv.axes[2] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return conv;
}

Seconds time_with(const GpuFactors& factors, const Conv& conv) {
  Calibration calibration;
  calibration.factors = {factors};
  return estimate(conv, *find_gpu("t4"), {.method = Method::rooftile, .calibration = &calibration}).time;
}

GpuFactors t4() { return {.gpu = "t4"}; }

TEST(Factors, EfficiencyScalesTheKernelsOfItsFamily) {
  GpuFactors faster = t4();
  faster.of(KernelFamily::conv_simt).efficiency = 1.25;
  EXPECT_NEAR(time_with(t4(), large_conv()) / time_with(faster, large_conv()), 1.25, 0.02);
  GpuFactors other = t4();
  other.of(KernelFamily::tensor).efficiency = 1.25;
  EXPECT_EQ(time_with(t4(), large_conv()), time_with(other, large_conv()));
}

TEST(Factors, LaunchOverheadIsAllThatATinyKernelTakes) {
  Conv tiny{.batch = 1, .in_channels = 1, .out_channels = 1};
  tiny.axes[1] = tiny.axes[2] = {.in = 1, .filter = 1};
  GpuFactors slower = t4();
  slower.launch_overhead = 100;
  EXPECT_GT(time_with(slower, tiny) / time_with(t4(), tiny), 20);
  EXPECT_NEAR(time_with(slower, large_conv()) / time_with(t4(), large_conv()), 1, 0.2);
}

TEST(Factors, AreOfTheGpuThatTheyName) {
  EXPECT_EQ(time_with({.gpu = "p4", .clock = 0.5}, large_conv()), time_with(t4(), large_conv()));
  EXPECT_GT(time_with({.gpu = "t4", .clock = 0.5}, large_conv()), time_with(t4(), large_conv()));
}

TEST(Factors, TheirSpreadIsTheInterval) {
  GpuFactors narrow = t4();
  narrow.of(KernelFamily::conv_simt).spread = Spread{0.9, 1.2};
  Calibration calibration;
  calibration.factors = {narrow};
  const LayerEstimate layer =
      estimate(large_conv(), *find_gpu("t4"), {.method = Method::rooftile, .calibration = &calibration});
  ASSERT_TRUE(layer.time_low && layer.time_high);
  EXPECT_DOUBLE_EQ(*layer.time_low / layer.time, 0.9);
  EXPECT_DOUBLE_EQ(*layer.time_high / layer.time, 1.2);
}

}  // namespace
}  // namespace rooftile
