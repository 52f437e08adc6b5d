#include "rooftile/roofline/time_point.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "rooftile/roofline/ceilings.hpp"

namespace rooftile::roofline {
namespace {

// Two levels with round numbers: 1 TB/s and 100 GB/s, 10 TFLOP/s on lanes, 100 on tensor cores, 5 us a launch.
Roof round_roof() {
  Roof roof;
  roof.levels = {{"L2", BytesPerSecond(1e12)}, {"DRAM", BytesPerSecond(1e11)}};
  roof.peaks[static_cast<std::size_t>(Peak::fp32)] = FlopsPerSecond(1e13);
  roof.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(1e14);
  roof.launch_overhead = Seconds(5e-6);
  return roof;
}
constexpr std::size_t kDram = 1;

Kernel kernel(double flops, double dram_bytes, double seconds, Peak unit = Peak::fp32) {
  Kernel made;
  made.unit = unit;
  made.flops[static_cast<std::size_t>(unit)] = Flops(flops);
  made.bytes = {Bytes(2 * dram_bytes), Bytes(dram_bytes)};
  made.time = Seconds(seconds);
  return made;
}

TEST(TimePoint, OfAKernelBoundByComputeStandsAtItsRunTimeAlongCompute) {
  const auto point = analyse(kernel(1e10, 1e7, 4e-3), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->bound, Bound::compute);
  EXPECT_DOUBLE_EQ(point->intensity, 1000);
  EXPECT_DOUBLE_EQ(point->balance, 100);
  EXPECT_DOUBLE_EQ(point->ideal_compute.value(), 1e-3);
  EXPECT_DOUBLE_EQ(point->ideal_bandwidth.value(), 1e-4);
  EXPECT_DOUBLE_EQ(point->compute_time.value(), 4e-3);
  EXPECT_DOUBLE_EQ(point->bandwidth_time.value(), 4e-4);
  EXPECT_DOUBLE_EQ(point->inefficiency, 4);
}

TEST(TimePoint, OfAKernelBoundByBandwidthStandsAtItsRunTimeAlongBandwidth) {
  const auto point = analyse(kernel(1e9, 1e9, 2e-2), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->bound, Bound::bandwidth);
  EXPECT_DOUBLE_EQ(point->bandwidth_time.value(), 2e-2);
  EXPECT_DOUBLE_EQ(point->compute_time.value(), 2e-4);
  EXPECT_DOUBLE_EQ(point->inefficiency, 2);
}

TEST(TimePoint, AtTheBalanceBothSidesAreTheRunTime) {
  const auto point = analyse(kernel(1e10, 1e8, 3e-3), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_DOUBLE_EQ(point->intensity, point->balance);
  EXPECT_DOUBLE_EQ(point->compute_time.value(), 3e-3);
  EXPECT_DOUBLE_EQ(point->bandwidth_time.value(), 3e-3);
  EXPECT_DOUBLE_EQ(point->inefficiency, 3);
}

TEST(TimePoint, WithoutFlopsHasNoComputeTime) {
  const auto point = analyse(kernel(0, 1e8, 2e-3), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->intensity, 0);
  EXPECT_EQ(point->bound, Bound::bandwidth);
  EXPECT_EQ(point->compute_time, Seconds(0));
  EXPECT_DOUBLE_EQ(point->bandwidth_time.value(), 2e-3);
  EXPECT_DOUBLE_EQ(point->inefficiency, 2);
}

TEST(TimePoint, WithoutBytesHasNoBandwidthTime) {
  const auto point = analyse(kernel(1e10, 0, 2e-3), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_TRUE(std::isinf(point->intensity));
  EXPECT_EQ(point->bound, Bound::compute);
  EXPECT_EQ(point->bandwidth_time, Seconds(0));
  EXPECT_DOUBLE_EQ(point->compute_time.value(), 2e-3);
}

TEST(TimePoint, WithoutWorkIsALaunch) {
  const auto point = analyse(kernel(0, 0, 1e-5), round_roof(), kDram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->bound, Bound::launch);
  EXPECT_DOUBLE_EQ(point->inefficiency, 2);
}

TEST(TimePoint, InsideTheBoxIsBoundByLaunches) {
  Kernel small = kernel(1e7, 1e6, 1e-4);  // 1 us and 10 us at best
  EXPECT_EQ(analyse(small, round_roof(), kDram)->bound, Bound::bandwidth);
  small.launches = 2;  // a box of 10 us: its border belongs to it
  EXPECT_EQ(analyse(small, round_roof(), kDram)->bound, Bound::launch);
  EXPECT_DOUBLE_EQ(analyse(small, round_roof(), kDram)->achievable.value(), 1e-5);
}

TEST(TimePoint, RoofFollowsTheUnitUnlessItIsForced) {
  const Kernel tensor = kernel(1e10, 1e6, 1e-3, Peak::tensor_fp16);
  EXPECT_DOUBLE_EQ(analyse(tensor, round_roof(), kDram)->ideal_compute.value(), 1e-4);
  EXPECT_DOUBLE_EQ(analyse(tensor, round_roof(), kDram, Peak::fp32)->ideal_compute.value(), 1e-3);
  EXPECT_FALSE(analyse(tensor, round_roof(), kDram, Peak::fp64));
  const Kernel half = kernel(1e10, 1e6, 1e-3, Peak::fp16);  // a roof that has no such unit
  EXPECT_EQ(analyse(half, round_roof(), kDram)->peak, Peak::fp32);
}

TEST(TimePoint, NeedsWhatItIsMadeOf) {
  Kernel incomplete = kernel(1, 1, 1);
  incomplete.bytes[kDram] = std::nullopt;
  EXPECT_FALSE(analyse(incomplete, round_roof(), kDram));
  EXPECT_TRUE(analyse(incomplete, round_roof(), 0));
  EXPECT_FALSE(analyse(incomplete, round_roof(), 2));
  incomplete.flops_known = false;
  EXPECT_FALSE(analyse(incomplete, round_roof(), 0));
}

// Published measurements on V100 (arXiv 2009.04598, PyTorch and TensorFlow 2), under its measured ceilings.
class PublishedPoints : public testing::Test {
 protected:
  Roof roof = find_ceilings("v100-ert", Seconds(0)).value();
  std::size_t dram = roof.level("dram").value();

  // With bytes at DRAM alone.
  Kernel kernel_of(double flops, double bytes, double seconds, double launches) const {
    Kernel made = kernel(flops, bytes, seconds);
    made.bytes = {std::nullopt, std::nullopt, Bytes(bytes)};
    made.launches = launches;
    return made;
  }
};

TEST_F(PublishedPoints, BalancesAreThoseOfThePaper) {
  EXPECT_NEAR(balance(roof, Peak::tensor_fp16, dram), 128.5, 0.05);
  EXPECT_NEAR(balance(roof, Peak::fp32, dram), 18.3, 0.05);
}

TEST_F(PublishedPoints, ConvolutionOf9x9IsBoundByCompute) {
  // 2 x 16 x 56 x 56 x 64 x 64 x 81 = 3.329e10 FLOPs; measured: 2.652 ms, 81.95 MB, 3 launches. At best
  // 3.329e10 / 15.1582e12 = 2.1965 ms; intensity 3.32944e10 / 8.195e7 = 406.3; along bandwidth 2.652 x 18.289 / 406.27.
  const auto point = analyse(kernel_of(2.0 * 16 * 56 * 56 * 64 * 64 * 81, 81950034, 2.652e-3, 3), roof, dram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->bound, Bound::compute);
  EXPECT_NEAR(point->intensity, 406.3, 0.05);
  EXPECT_NEAR(point->ideal_compute.value(), 2.1965e-3, 1e-7);
  EXPECT_NEAR(point->bandwidth_time.value(), 1.1938e-4, 1e-8);
  EXPECT_NEAR(point->inefficiency, 1.2074, 1e-4);
}

TEST_F(PublishedPoints, LstmIsBoundByItsLaunches) {
  // TensorFlow 2, 16 steps: 243 launches x 4.2 us = 1.0206 ms against 0.92 ms measured, whatever its bytes.
  const auto point = analyse(kernel_of(0, 1e7, 0.92e-3, 243), roof, dram);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->bound, Bound::launch);
  EXPECT_NEAR(point->overhead.value(), 1.0206e-3, 1e-9);
  EXPECT_NEAR(point->inefficiency, 0.901, 5e-4);
}

}  // namespace
}  // namespace rooftile::roofline
