#include "rooftile/traffic/launch_traffic.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/workload/conv_geometry.hpp"

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

// A GEMM of one tile of 128x128 and 8 of k.
Launch one_tile() {
  Launch launch;
  launch.product = {.m = 128, .n = 128, .k = 8, .tile_m = 128, .tile_n = 128, .tile_k = 8};
  launch.ctas = 1;
  launch.steps = 8;
  return launch;
}

GpuSizes lanes_with_l2(Bytes capacity) {
  GpuSizes sizes;
  sizes.family = KernelFamily::gemm_simt;
  sizes.l2_capacity = capacity;
  sizes.constants = unfitted_constants(KernelFamily::gemm_simt);
  return sizes;
}

TEST(SimtGemmTraffic, ABiasComesThroughTheL2) {
  GpuSizes sizes = lanes_with_l2(Bytes(1e12));
  sizes.constants[SimtGemmConstant::bias_passes] = 1.5;
  Launch launch = one_tile();
  launch.l2_load = Bytes(4 * 8 * (128 + 128));
  const Traffic without = launch_traffic(launch, sizes);
  launch.product.bias = true;
  const Traffic with = launch_traffic(launch, sizes);
  const Bytes bias(0.5 * 4 * 128 * 128);
  EXPECT_EQ(with.dram - without.dram, bias);
  EXPECT_EQ(with.l2 - without.l2, bias);
  EXPECT_EQ(with.l1 - without.l1, bias);
}

TEST(SimtGemmTraffic, ALineWithoutSectorsIsNotFetchedOnceForEach) {
  GpuSizes sizes = lanes_with_l2(Bytes(1));
  sizes.constants[SimtGemmConstant::line_depth] = 0;
  const Launch launch = one_tile();
  const Bytes operand(4 * 8 * 128);
  EXPECT_NEAR((launch_traffic(launch, sizes).dram / operand), 1 + 4, 1e-6);  // A is contiguous along k
  sizes.l2_sector = sizes.l2_line;
  EXPECT_NEAR((launch_traffic(launch, sizes).dram / operand), 1 + 1, 1e-6);
}

// SSD300's extra2/3x3 on 10 x 10 maps: one row of tiles holds inputs of both classes, of which each meets half of the
// taps. All filters are loaded all the same.
TEST(ConvTraffic, AStridedGradientOfFewRowsLoadsAllFilters) {
  Conv conv;
  conv.in_channels = 256;
  conv.out_channels = 512;
  conv.axes[1] = conv.axes[2] = {.in = 10, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const OpShape op{.gemm = im2col(conv), .pass = Pass::bwd_data};
  const Bytes filters(4.0 * 256 * 512 * 9);
  each_plan(op, find_gpu("titan-xp").value(), {}, [&](const LaunchPlan& plan) {
    if (plan.main.atomics == 0) {
      EXPECT_GE(plan.main.l2_load, filters);
    }
  });
}

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
