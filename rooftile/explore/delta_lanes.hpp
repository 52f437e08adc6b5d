// The inner loop of method delta over the designs of one pass, and the numbers that it reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "rooftile/explore/delta_batch.hpp"
#include "rooftile/explore/layer_constants.hpp"

namespace rooftile {

using Lanes = std::array<double, kLanes>;

// Of a kernel on each design (Eqs 12 to 15), in seconds.
struct alignas(64) KernelLanes {
  Lanes inverse_active, half_active;  // of the CTAs an SM holds
  Lanes compute, smem;                // T_CS and T_SAS of one step
  Lanes slower_by_depth;              // the larger of them by the tile's depth (Eq 17)
  Lanes prologue;
  Lanes epilogue_l1, epilogue_l2, epilogue_dram;
};

// Of each design.
struct alignas(64) DesignLanes {
  Lanes inverse_sms, half_sms;
  Lanes inverse_l1, inverse_l2, inverse_dram;  // seconds a byte, of an SM's share
  Lanes latency_l1, latency_l2, latency_dram;
  Lanes inverse_dram_chip, inverse_arithmetic_chip;  // of all SMs, for streams
};

// Sums over the layers. What no layer here can be limited by stays as it was.
struct alignas(64) SumLanes {
  Lanes time;
  std::array<Lanes, kBottlenecks> shares;
};

// Runs all layers of a network over the lanes. `launch` is the least time of a stream. `layer_times`, unless null, gets
// the time of each GEMM, then of each stream, kLanes each.
void run_layers(VectorUnit unit, const NetworkConstants& network, const DesignLanes& designs,
                const std::vector<KernelLanes>& kernels, double launch, SumLanes& sums, double* layer_times);

}  // namespace rooftile
