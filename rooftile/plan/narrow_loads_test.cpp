#include "rooftile/plan/narrow_loads.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

// Of 1024 multiply-accumulates an SM and clock.
Gpu measured_gpu() {
  constexpr double kMacs = 1024;
  Gpu gpu;
  gpu.sm.pair_load_macs = 600;
  gpu.sm.single_load_macs = 350;
  gpu.sm_count = 100;
  gpu.clock = Hertz(1e9);
  gpu.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(2 * kMacs * 100 * 1e9);
  return gpu;
}

TEST(NarrowLoads, WholeLoadsKeepUp) {
  EXPECT_EQ(narrow_load_share({50304, 768}, Bytes(2), measured_gpu()), 1);
  EXPECT_EQ(narrow_load_share({50257, 768}, Bytes(4), measured_gpu()), 1) << "four bytes are copied asynchronously";
  Gpu unknown = measured_gpu();
  unknown.sm.pair_load_macs = unknown.sm.single_load_macs = std::nullopt;
  EXPECT_EQ(narrow_load_share({50257, 768}, Bytes(2), unknown), 1) << "not measured";
}

TEST(NarrowLoads, TheFewerBytesTheSlower) {
  const Gpu gpu = measured_gpu();
  EXPECT_EQ(narrow_load_share({196}, Bytes(2), gpu), 600.0 / 1024);
  EXPECT_EQ(narrow_load_share({49}, Bytes(2), gpu), 350.0 / 1024);
  EXPECT_EQ(narrow_load_share({768, 50257}, Bytes(2), gpu), 350.0 / 1024) << "the least of all rows counts";
}

// What ran on H100 and on GA10x stands for the generations around them.
TEST(NarrowLoads, HaveARateSinceAmpere) {
  for (const char* id : {"a100-sxm4-40gb", "h100-sxm5-80gb", "b200-sxm-180gb", "gb300", "jetson-agx-thor"}) {
    EXPECT_EQ(find_gpu(id)->sm.pair_load_macs, 600) << id;
    EXPECT_EQ(find_gpu(id)->sm.single_load_macs, 350) << id;
  }
  for (const char* id : {"rtx-3090", "jetson-agx-orin-64gb", "rtx-4090", "rtx-5090"}) {
    EXPECT_EQ(find_gpu(id)->sm.pair_load_macs, 365) << id;
    EXPECT_EQ(find_gpu(id)->sm.single_load_macs, 107) << id;
  }
  for (const char* id : {"t4", "v100-sxm2-16gb", "mi300x"}) EXPECT_FALSE(find_gpu(id)->sm.pair_load_macs) << id;
  EXPECT_EQ(find_gpu("t4")->sm.single_load_macs, 22) << "of a T4's own attention of 577 positions";
}

TEST(NarrowLoads, VectorsLieSideBySide) {
  const Gpu gpu = measured_gpu();
  EXPECT_EQ(narrow_load_share({1, 768}, Bytes(2), gpu), 1) << "a matrix times a vector";
  EXPECT_EQ(narrow_load_share({768, 1}, Bytes(2), gpu), 1) << "two vectors' outer product";
  EXPECT_LT(narrow_load_share({1, 767}, Bytes(2), gpu), 1) << "rows of the matrix";
}

// GeForce boards of GA10x sum in FP32 at half the rate, with which pairs keep up.
TEST(NarrowLoads, SlowTensorCoresDoNotWaitForPairs) {
  Gpu gpu = find_gpu("rtx-3090").value();
  gpu.sm_count = 100;
  gpu.clock = Hertz(1e9);
  gpu.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(2 * 256.0 * 100 * 1e9);
  EXPECT_EQ(narrow_load_share({196}, Bytes(2), gpu), 1);
  EXPECT_LT(narrow_load_share({49}, Bytes(2), gpu), 1);
}

}  // namespace
}  // namespace rooftile
