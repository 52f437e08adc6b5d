#include "rooftile/plan/plan.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// An SM of TITAN Xp as the paper's Table I has it: 256 KB of registers, 96 KB of shared memory.
SmLimits pascal() { return {.registers = 65536, .smem = Bytes(96 * 1024), .smem_per_cta = Bytes(48 * 1024)}; }

Gpu gpu_of(double sm_count) {
  Gpu gpu;
  gpu.sm_count = sm_count;
  gpu.sm = pascal();
  return gpu;
}

Im2col gemm_of(double m, double n, double k, double groups = 1) {
  Im2col gemm;
  gemm.m = m;
  gemm.n = gemm.out_channels = n;
  gemm.k = gemm.in_channels = k;
  gemm.groups = groups;
  return gemm;
}

TEST(DeltaKernel, Figure6LooksUpTheTileByOutputChannels) {
  const Tile wide = {128, 128, 8}, middle = {128, 64, 4}, narrow = {128, 32, 4};
  struct Row {
    double first = 0, last = 0;
    Tile tile;
  };
  for (const Row& row : {Row{1, 32, narrow}, Row{33, 64, middle}, Row{65, 96, narrow}, Row{97, 128, wide},
                         Row{129, 192, middle}, Row{193, 256, wide}, Row{257, 320, middle}, Row{321, 1e9, wide}}) {
    EXPECT_EQ(delta_kernel(row.first).tile, row.tile) << row.first;
    EXPECT_EQ(delta_kernel(row.last).tile, row.tile) << row.last;
  }
}

TEST(DeltaKernel, WarpTilesCoverTheCtaTile) {
  for (const KernelChoice& choice : delta_kernels()) {
    const Kernel& kernel = choice.kernel;
    EXPECT_EQ(kernel.warps * kernel.warp_m * kernel.warp_n, kernel.tile.m * kernel.tile.n);
    EXPECT_EQ(kernel.tile.m % kernel.warp_m, 0);
    EXPECT_EQ(kernel.tile.n % kernel.warp_n, 0);
  }
}

TEST(DeltaKernel, AFixedTileKeepsItsKernelAndTakesItsOwnDepth) {
  const auto kernel = kernel_for({128, 64, 16});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->tile, (Tile{128, 64, 16}));
  EXPECT_EQ(kernel->warps, 4);
  EXPECT_FALSE(kernel_for({64, 64, 8}));
}

TEST(ResidentCtas, RegistersLimitThePapersKernels) {
  // 256 threads of 128 registers: 65536 / 32768. 128 of 128: / 16384. 128 of 80: / 10240 = 6.4.
  EXPECT_EQ(resident_ctas(delta_kernel(512), pascal()), 2);
  EXPECT_EQ(resident_ctas(delta_kernel(64), pascal()), 4);
  EXPECT_EQ(resident_ctas(delta_kernel(32), pascal()), 6);
}

TEST(ResidentCtas, EveryLimitBinds) {
  const Kernel& kernel = delta_kernel(32);  // 4 warps, 10240 registers, 2 x 160 x 4 x 4 = 5120 bytes
  SmLimits sm = pascal();
  sm.registers = 1e6;
  EXPECT_EQ(resident_ctas(kernel, sm), 16);  // 64 warps / 4
  sm.warps = 1e6;
  EXPECT_EQ(resident_ctas(kernel, sm), 19);  // 98304 / 5120 = 19.2
  sm.smem = Bytes(1e9);
  EXPECT_EQ(resident_ctas(kernel, sm), 32);
  sm.ctas = 8;
  EXPECT_EQ(resident_ctas(kernel, sm), 8);
}

// 256 threads are four wavefronts of 64, and hold as many registers as eight warps of 32.
TEST(ResidentCtas, WideWavefrontsHoldTheSameThreads) {
  SmLimits sm = pascal();
  sm.warp_size = 64;
  EXPECT_EQ(resident_ctas(delta_kernel(512), sm), 2);
  sm.registers = 1e6;
  sm.warps = 20;
  EXPECT_EQ(resident_ctas(delta_kernel(512), sm), 5);
}

TEST(ResidentCtas, AtLeastOne) {
  SmLimits sm = pascal();
  sm.registers = 1024;
  EXPECT_EQ(resident_ctas(delta_kernel(512), sm), 1);
}

TEST(DeltaPlan, CountsTilesWavesAndLoops) {
  // 300 x 200: tile 128x128x8, 3 rows x 2 columns. 1000 / 8 = 125 loops. 5 groups: 30 CTAs, 8 SMs: ceil 3.75 = 4;
  // 2 active: 2 waves.
  const Plan plan = delta_plan(gemm_of(300, 200, 1000, 5), gpu_of(8));
  EXPECT_EQ(plan.rows, 3);
  EXPECT_EQ(plan.columns, 2);
  EXPECT_EQ(plan.ctas, 30);
  EXPECT_EQ(plan.loops, 125);
  EXPECT_EQ(plan.ctas_per_sm, 4);
  EXPECT_EQ(plan.active_ctas_per_sm, 2);
  EXPECT_EQ(plan.waves, 2);
}

TEST(DeltaPlan, PartialTilesAndLoopsAreRoundedUp) {
  const Plan plan = delta_plan(gemm_of(129, 129, 9), gpu_of(1));  // 129 channels: 128x64x4
  EXPECT_EQ(plan.rows, 2);
  EXPECT_EQ(plan.columns, 3);
  EXPECT_EQ(plan.loops, 3);
  EXPECT_EQ(plan.waves, 2);  // 6 CTAs, 4 active
}

TEST(DeltaPlan, TileAndActiveCtasCanBeFixed) {
  PlanOptions options;
  options.tile = Tile{128, 32, 8};
  options.active_ctas_per_sm = 3;
  const Plan plan = delta_plan(gemm_of(1280, 128, 64), gpu_of(10), options);
  EXPECT_EQ(plan.columns, 4);
  EXPECT_EQ(plan.loops, 8);
  EXPECT_EQ(plan.ctas_per_sm, 4);
  EXPECT_EQ(plan.waves, 2);
}

TEST(DeltaPlan, TakesAKernelOfOnesOwn) {
  Kernel kernel = delta_kernel(128);
  kernel.tile = {256, 256, 8};
  kernel.warps = 32;
  const Plan plan = delta_plan(gemm_of(512, 300, 64), gpu_of(1), kernel);
  EXPECT_EQ(plan.ctas, 4);
  EXPECT_EQ(plan.loops, 8);
  EXPECT_EQ(plan.active_ctas_per_sm, 1);  // 1024 threads of 128 registers: no SM has room for two
  EXPECT_EQ(plan.waves, 4);
  EXPECT_EQ(delta_plan(gemm_of(512, 300, 64), gpu_of(1), kernel, 2).waves, 2);
}

}  // namespace
}  // namespace rooftile
