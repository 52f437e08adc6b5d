#include "rooftile/plan/narrow_loads.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Gpu gpu_with(double generation) {
  constexpr double kMacs = 1024;
  Gpu gpu;
  gpu.vendor = "nvidia";
  gpu.generation = generation;
  gpu.sm_count = 100;
  gpu.clock = Hertz(1e9);
  gpu.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(2 * kMacs * 100 * 1e9);
  return gpu;
}

TEST(NarrowLoads, WholeLoadsKeepUp) {
  EXPECT_EQ(narrow_load_share({50304, 768}, Bytes(2), gpu_with(9)), 1);
  EXPECT_EQ(narrow_load_share({50257, 768}, Bytes(4), gpu_with(9)), 1) << "four bytes are copied asynchronously";
  EXPECT_EQ(narrow_load_share({50257, 768}, Bytes(2), gpu_with(7)), 1) << "not measured";
}

TEST(NarrowLoads, TheFewerBytesTheSlower) {
  for (const double generation : {8.0, 8.9, 9.0, 10.0, 12.0}) {
    const Gpu gpu = gpu_with(generation);
    const double pairs = narrow_load_share({196}, Bytes(2), gpu), single = narrow_load_share({49}, Bytes(2), gpu);
    EXPECT_LT(single, pairs);
    EXPECT_LT(pairs, 1);
    EXPECT_EQ(narrow_load_share({768, 50257}, Bytes(2), gpu), single) << "the least of all rows counts";
  }
}

TEST(NarrowLoads, VectorsLieSideBySide) {
  const Gpu gpu = gpu_with(9);
  EXPECT_EQ(narrow_load_share({1, 768}, Bytes(2), gpu), 1) << "a matrix times a vector";
  EXPECT_EQ(narrow_load_share({768, 1}, Bytes(2), gpu), 1) << "two vectors' outer product";
  EXPECT_LT(narrow_load_share({1, 767}, Bytes(2), gpu), 1) << "rows of the matrix";
}

// GeForce boards of GA10x sum in FP32 at half the rate, with which pairs keep up.
TEST(NarrowLoads, SlowTensorCoresDoNotWaitForPairs) {
  Gpu gpu = gpu_with(8.6);
  gpu.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(2 * 256.0 * 100 * 1e9);
  EXPECT_EQ(narrow_load_share({196}, Bytes(2), gpu), 1);
  EXPECT_LT(narrow_load_share({49}, Bytes(2), gpu), 1);
}

}  // namespace
}  // namespace rooftile
