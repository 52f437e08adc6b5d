// Small GPUs and plans for tests of the simulator.
#pragma once

#include <cmath>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile::test {

constexpr Bytes kLine(128), kSector(32);

// Lines of 128 bytes with sectors of 32; L1 and shared memory apart.
inline Gpu gpu_of(double sms, double l1_lines, double l2_lines) {
  Gpu gpu;
  gpu.sm_count = sms;
  gpu.sm.smem = Bytes(1e9);
  gpu.l1_request = kLine;
  for (const char* name : {"L1", "L2", "DRAM"}) {
    MemoryLevel level;
    level.name = name;
    level.line = kLine;
    level.sector = kSector;
    gpu.levels.push_back(level);
  }
  gpu.levels[0].capacity = kLine * l1_lines;
  gpu.levels[1].capacity = kLine * l2_lines;
  return gpu;
}

inline Plan plan_of(const Im2col& gemm, const Tile& tile, double active = 1) {
  Plan plan;
  plan.kernel.tile = tile;
  plan.rows = std::ceil(gemm.m / tile.m);
  plan.columns = std::ceil(gemm.n / tile.n);
  plan.ctas = plan.rows * plan.columns * gemm.groups;
  plan.loops = std::ceil(gemm.k / tile.k);
  plan.active_ctas_per_sm = active;
  return plan;
}

// Square map and filter, `out` channels in all.
inline Conv conv_of(std::int64_t batch, std::int64_t in_channels, std::int64_t map, std::int64_t out_channels,
                    std::int64_t filter, std::int64_t stride = 1, std::int64_t pad = 0) {
  Conv conv;
  conv.batch = batch;
  conv.in_channels = in_channels;
  conv.out_channels = out_channels;
  for (std::size_t axis = 1; axis < conv.axes.size(); ++axis) {
    conv.axes[axis] = {.in = map, .filter = filter, .stride = stride, .pad_begin = pad, .pad_end = pad};
  }
  return conv;
}

}  // namespace rooftile::test
