#include "rooftile/traffic/launch_traffic.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Bytes loads(double l2, double dram, double shared) {
  Launch launch;
  launch.l2_load = Bytes(l2);
  launch.dram_load = Bytes(dram);
  GpuSizes sizes;
  sizes.shared_loads = shared;
  return tensor_l2_loads(launch, sizes);
}

TEST(TensorL2Loads, ServeSeveralCtasEach) {
  EXPECT_EQ(loads(1000, 100, 1), Bytes(1000));
  EXPECT_EQ(loads(1000, 100, 2), Bytes(500));
}

TEST(TensorL2Loads, HoldEachOperandAtLeastOnce) { EXPECT_EQ(loads(1000, 800, 2), Bytes(800)); }

// A strided gradient's tiles are counted with the taps that one position meets; all of them together meet all taps.
TEST(TensorL2Loads, HoldEachOperandAtLeastOnceWhateverTheTilesLoad) { EXPECT_EQ(loads(1000, 1200, 2), Bytes(1200)); }

TEST(CompulsoryLoads, AreTheOperandsOfThePass) {
  const Gemm gemm{.m = 2, .n = 30, .k = 500};
  OpShape op{.gemm = im2col(gemm), .element = Bytes(4)};
  EXPECT_EQ(compulsory_loads(op), Bytes(4 * (2 * 500 + 500 * 30)));
  op.pass = Pass::bwd_data;
  EXPECT_EQ(compulsory_loads(op), Bytes(4 * (2 * 30 + 500 * 30)));
  op.pass = Pass::bwd_weight;
  EXPECT_EQ(compulsory_loads(op), Bytes(4 * (2 * 30 + 2 * 500)));
  op.pass = Pass::fwd;
  op.weight = Bytes(1);
  EXPECT_EQ(compulsory_loads(op), Bytes(4 * 2 * 500 + 500 * 30));
}

}  // namespace
}  // namespace rooftile
