// What the hand-worked tests share: the expected numbers of a layer, and their comparison with an estimate.
//
// Numbers of the GPUs (Table I of the paper; arithmetic is MACs per clock x clock, shared memory 128 bytes per clock)
// as one SM sees them, in MACs and bytes per nanosecond, and latencies in nanoseconds:
//
//   titan-xp-delta  MAC 128·1.58 = 202.24   L1 92     L2 1051/30 = 35.033  DRAM 450/30 = 15      SMEM 128·1.58 = 202.24
//                   latency of L1, L2, DRAM, SMEM: 82, 216, 486, 24 cycles / 1.58 = 51.90, 136.7, 307.6, 15.19
//   p100-delta      MAC 64·1.2 = 76.8       L1 38.1   L2 1382/56 = 24.679  DRAM 550/56 = 9.8214  SMEM 128·1.2 = 153.6
//                   latency: 82, 234, 486, 24 cycles / 1.2 = 68.33, 195, 405, 20
//   v100-delta      MAC 64·1.38 = 88.32     L1 94.1   L2 2167/84 = 25.798  DRAM 850/84 = 10.119  SMEM 128·1.38 = 176.64
//                   latency: 28, 212, 434, 19 cycles / 1.38 = 20.29, 153.6, 314.5, 13.77
//
// Requests to the L1 are 128 bytes, on v100-delta 32. By tile (128x128x8, 128x64x4, 128x32x4) a CTA has 8, 4, 4 warps
// of 32x64, 32x64, 32x32 and 128, 128, 80 registers a thread; 65536 registers hold 2, 4, 6 such CTAs. Input tiles
// (both, bytes): 8192, 3072, 2560; what the warps read of them: 24576, 6144, 4096; t_SAS and the prologue follow:
//   t_SAS = 8192/SMEM + 24576/SMEM; prologue = DRAM latency + 8192/DRAM + SMEM latency + t_SAS.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

constexpr std::size_t kDepth = 0, kHeight = 1, kWidth = 2;

struct HandWorked {
  Tile tile;
  double ctas = 0, loops = 0, active = 0, ctas_per_sm = 0, waves = 0;
  std::int64_t l1 = 0, l2 = 0, dram = 0, store = 0;  // bytes, rounded
  std::array<double, 6> nanoseconds{};               // compute, smem, latency, l1, l2, dram
  Bottleneck bottleneck = Bottleneck::compute;
};

inline const PredictOptions kDelta = {.method = Method::delta};

inline void expect(const Conv& conv, std::string_view gpu_id, const HandWorked& expected) {
  const auto gpu = find_gpu(gpu_id);
  ASSERT_TRUE(gpu) << gpu.error().message;
  const LayerEstimate layer = estimate(conv, *gpu, kDelta);
  ASSERT_EQ(planned<DeltaKernel>(layer).size(), 1U);

  const Plan& plan = first_plan<DeltaKernel>(layer)->plan;
  EXPECT_EQ(plan.kernel.tile, expected.tile);
  EXPECT_EQ(plan.ctas, expected.ctas);
  EXPECT_EQ(plan.loops, expected.loops);
  EXPECT_EQ(plan.active_ctas_per_sm, expected.active);
  EXPECT_EQ(plan.ctas_per_sm, expected.ctas_per_sm);
  EXPECT_EQ(plan.waves, expected.waves);

  EXPECT_EQ(std::llround(layer.traffic.l1.value()), expected.l1);
  EXPECT_EQ(std::llround(layer.traffic.l2.value()), expected.l2);
  EXPECT_EQ(std::llround(layer.traffic.dram.value()), expected.dram);
  EXPECT_EQ(std::llround(layer.traffic.store_dram.value()), expected.store);

  for (std::size_t i = 0; i < expected.nanoseconds.size(); ++i) {
    const auto which = static_cast<Bottleneck>(i);
    const double nanoseconds = layer.cases[which].value() * 1e9;
    EXPECT_NEAR(nanoseconds, expected.nanoseconds[i], 1e-4 * expected.nanoseconds[i]) << name_of(which);
  }
  EXPECT_EQ(layer.bottleneck, expected.bottleneck);
  EXPECT_EQ(layer.time, layer.cases[expected.bottleneck]);
}

}  // namespace rooftile
