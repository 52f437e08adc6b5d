#include "rooftile/timing/delta.hpp"

#include <algorithm>

namespace rooftile {
namespace {

constexpr Bytes kElement(4);  // FP32, the only precision of the paper

BytesPerSecond share_of_sm(const MemoryLevel& level, double sm_count) {
  return level.per_sm ? level.bandwidth : level.bandwidth / sm_count;
}

}  // namespace

DeltaRates delta_rates(const Gpu& gpu) {
  const MemoryLevel& l1 = gpu.level("L1");
  const MemoryLevel& l2 = gpu.level("L2");
  const MemoryLevel& dram = gpu.level("DRAM");
  return {
      .arithmetic = gpu.peak(Peak::fp32) / gpu.sm_count,
      .l1 = share_of_sm(l1, gpu.sm_count),
      .l2 = share_of_sm(l2, gpu.sm_count),
      .dram = share_of_sm(dram, gpu.sm_count),
      .smem_load = gpu.smem_load_bandwidth,
      .smem_store = gpu.smem_store_bandwidth,
      .l1_latency = l1.latency / gpu.clock,
      .l2_latency = l2.latency / gpu.clock,
      .dram_latency = dram.latency / gpu.clock,
      .smem_latency = gpu.smem_latency / gpu.clock,
  };
}

DeltaTiming delta_time(const Plan& plan, const DeltaTraffic& traffic, const DeltaRates& rates) {
  const Kernel& kernel = plan.kernel;
  const Tile& tile = kernel.tile;
  const double depth = tile.k;
  const Bytes inputs = (static_cast<double>(tile.m) + tile.n) * depth * kElement;
  const Bytes outputs = static_cast<double>(tile.m) * tile.n * kElement;
  const Bytes warp_inputs = (static_cast<double>(kernel.warp_m) + kernel.warp_n) * depth * kernel.warps * kElement;
  const Flops work(2.0 * tile.m * tile.n * depth);

  DeltaTiming t;
  t.l1_transfer = traffic.l1_per_loop / rates.l1;
  t.l2_transfer = traffic.l2_per_loop / rates.l2;
  t.dram_transfer = traffic.dram_per_loop / rates.dram;
  t.t_gls = std::max({rates.l1_latency + t.l1_transfer, rates.l2_latency + t.l2_transfer,
                      rates.dram_latency + t.dram_transfer});           // Eq 11
  t.t_sas = inputs / rates.smem_store + warp_inputs / rates.smem_load;  // Eq 12
  t.t_cs = work / rates.arithmetic;                                     // Eq 13
  t.prologue = rates.dram_latency + inputs / rates.dram + rates.smem_latency + inputs / rates.smem_store +
               warp_inputs / rates.smem_load;           // Eq 14
  t.epilogue = t.epilogue_dram = outputs / rates.dram;  // Eq 15
  t.epilogue_l1 = outputs / rates.l1;
  t.epilogue_l2 = outputs / rates.l2;

  // Eqs 16 and 18: what is busy in turn for every CTA of the busiest SM.
  const auto in_turn = [&](Seconds step, Seconds epilogue) {
    return t.prologue + (step * plan.loops + epilogue) * plan.ctas_per_sm;
  };
  t.cases[Bottleneck::compute] = in_turn(t.t_cs, t.epilogue);
  t.cases[Bottleneck::smem] = in_turn(t.t_sas, t.epilogue);
  t.cases[Bottleneck::l1] = in_turn(t.l1_transfer, t.epilogue_l1);
  t.cases[Bottleneck::l2] = in_turn(t.l2_transfer, t.epilogue_l2);
  t.cases[Bottleneck::dram] = in_turn(t.dram_transfer, t.epilogue_dram);
  // Eq 17: all resident CTAs wait for their loads together, wave after wave.
  const Seconds step = t.t_gls + std::max(t.t_cs, t.t_sas) / depth;
  t.cases[Bottleneck::latency] = t.prologue + (step * plan.loops + t.epilogue) * plan.waves;

  t.bottleneck = largest(t.cases);
  t.time = t.cases[t.bottleneck];
  return t;
}

}  // namespace rooftile
