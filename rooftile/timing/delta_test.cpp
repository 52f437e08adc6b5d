// Terms of the time model one by one, with rates chosen so that each term is a round number. Whole layers on the GPUs
// of the paper are in predict/hand_worked_*_test.cpp.
#include "rooftile/timing/delta.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// Tile 128x128x8: 8192 bytes of input tiles, 24576 bytes read by the warps, 65536 bytes of output, 131072 MACs.
Plan wide_plan() {
  Plan plan;
  plan.kernel = delta_kernel(512);
  plan.ctas = 60;
  plan.loops = 10;
  plan.ctas_per_sm = 6;
  plan.active_ctas_per_sm = 2;
  plan.waves = 3;
  return plan;
}

DeltaTraffic some_traffic() {
  DeltaTraffic traffic;
  traffic.l1_per_loop = Bytes(16384);
  traffic.l2_per_loop = Bytes(8192);
  traffic.dram_per_loop = Bytes(4096);
  return traffic;
}

DeltaRates round_rates() {
  return {.arithmetic = FlopsPerSecond(262144),
          .l1 = BytesPerSecond(16384),
          .l2 = BytesPerSecond(4096),
          .dram = BytesPerSecond(1024),
          .smem_load = BytesPerSecond(24576),
          .smem_store = BytesPerSecond(8192),
          .l1_latency = Seconds(0.5),
          .l2_latency = Seconds(1),
          .dram_latency = Seconds(3),
          .smem_latency = Seconds(0.25)};
}

MemoryLevel level(const char* name, double bandwidth, double latency) {
  MemoryLevel result;
  result.name = name;
  result.bandwidth = BytesPerSecond(bandwidth);
  result.latency = Cycles(latency);
  return result;
}

TEST(DeltaTime, TermsOfOneStep) {
  const DeltaTiming t = delta_time(wide_plan(), some_traffic(), round_rates());
  EXPECT_EQ(t.l1_transfer, Seconds(1));
  EXPECT_EQ(t.l2_transfer, Seconds(2));
  EXPECT_EQ(t.dram_transfer, Seconds(4));
  EXPECT_EQ(t.t_gls, Seconds(7));  // Eq 11: max(0.5 + 1, 1 + 2, 3 + 4)
  EXPECT_EQ(t.t_sas, Seconds(2));  // Eq 12: 8192 / 8192 + 24576 / 24576
  EXPECT_EQ(t.t_cs, Seconds(1));   // Eq 13: 131072 MACs at 131072 a second
}

TEST(DeltaTime, PrologueAndEpilogue) {
  const DeltaTiming t = delta_time(wide_plan(), some_traffic(), round_rates());
  EXPECT_EQ(t.prologue, Seconds(3 + 8 + 0.25 + 1 + 1));  // Eq 14
  EXPECT_EQ(t.epilogue, Seconds(64));                    // Eq 15: 65536 / 1024
  EXPECT_EQ(t.epilogue_l1, Seconds(4));
  EXPECT_EQ(t.epilogue_l2, Seconds(16));
  EXPECT_EQ(t.epilogue_dram, Seconds(64));
}

TEST(DeltaTime, SixCases) {
  const DeltaTiming t = delta_time(wide_plan(), some_traffic(), round_rates());
  // Eq 16, prologue 13.25: (step x 10 loops + 64) x 6 CTAs.
  EXPECT_EQ(t.cases[Bottleneck::compute], Seconds(13.25 + (1 * 10 + 64) * 6));
  EXPECT_EQ(t.cases[Bottleneck::smem], Seconds(13.25 + (2 * 10 + 64) * 6));
  // Eq 17: (7 + 2 / 8) x 10 loops + 64, x 3 waves.
  EXPECT_EQ(t.cases[Bottleneck::latency], Seconds(13.25 + (7.25 * 10 + 64) * 3));
  // Eq 18: each level at its own bandwidth, outputs too.
  EXPECT_EQ(t.cases[Bottleneck::l1], Seconds(13.25 + (1 * 10 + 4) * 6));
  EXPECT_EQ(t.cases[Bottleneck::l2], Seconds(13.25 + (2 * 10 + 16) * 6));
  EXPECT_EQ(t.cases[Bottleneck::dram], Seconds(13.25 + (4 * 10 + 64) * 6));
  EXPECT_EQ(t.cases[Bottleneck::launch], Seconds(0));
  EXPECT_EQ(t.bottleneck, Bottleneck::dram);
  EXPECT_EQ(t.time, t.cases[Bottleneck::dram]);
}

TEST(DeltaTime, LatencyHidesBehindTheSlowerOfArithmeticAndSharedMemory) {
  DeltaRates rates = round_rates();
  rates.arithmetic = FlopsPerSecond(262144 / 16.0);  // t_CS 16 s, above t_SAS
  const DeltaTiming t = delta_time(wide_plan(), some_traffic(), rates);
  EXPECT_EQ(t.cases[Bottleneck::latency], Seconds(13.25 + ((7 + 2) * 10 + 64) * 3));
}

TEST(DeltaRates, AreOfOneSm) {
  Gpu gpu;
  gpu.sm_count = 10;
  gpu.clock = Hertz(2e9);
  gpu.peaks[static_cast<std::size_t>(Peak::fp32)] = FlopsPerSecond(5e12);
  gpu.smem_load_bandwidth = BytesPerSecond(3e11);
  gpu.smem_store_bandwidth = BytesPerSecond(2e11);
  gpu.smem_latency = Cycles(20);
  gpu.levels = {level("L1", 1e11, 40), level("L2", 1e12, 200), level("DRAM", 5e11, 500)};
  gpu.levels[0].per_sm = true;
  const DeltaRates rates = delta_rates(gpu);
  EXPECT_EQ(rates.arithmetic, FlopsPerSecond(5e11));
  EXPECT_EQ(rates.l1, BytesPerSecond(1e11));  // already of one SM
  EXPECT_EQ(rates.l2, BytesPerSecond(1e11));
  EXPECT_EQ(rates.dram, BytesPerSecond(5e10));
  EXPECT_EQ(rates.smem_load, BytesPerSecond(3e11));
  EXPECT_EQ(rates.smem_store, BytesPerSecond(2e11));
  EXPECT_DOUBLE_EQ(rates.l1_latency.value(), 20e-9);
  EXPECT_DOUBLE_EQ(rates.l2_latency.value(), 100e-9);
  EXPECT_DOUBLE_EQ(rates.dram_latency.value(), 250e-9);
  EXPECT_DOUBLE_EQ(rates.smem_latency.value(), 10e-9);
}

TEST(Largest, TheFirstOfEqualsWins) {
  TimeBounds cases;
  EXPECT_EQ(largest(cases), Bottleneck::compute);
  cases[Bottleneck::l2] = cases[Bottleneck::dram] = Seconds(1);
  EXPECT_EQ(largest(cases), Bottleneck::l2);
}

}  // namespace
}  // namespace rooftile
