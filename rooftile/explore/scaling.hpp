// The paper's study of other designs (Lym et al., ISPASS 2019, section VII.C, Table 16a): a GPU with some of its
// resources multiplied.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// A column of Table 16a: multiples of the base GPU. Registers and shared memory act through the CTAs that an SM holds.
struct ScalingOption {
  std::string_view name;
  double sm_count = 1;
  double mac_per_sm = 1;
  double registers = 1, smem = 1;
  double smem_bandwidth = 1;
  double l1_bandwidth = 1, l2_bandwidth = 1, dram_bandwidth = 1;
  double cta_tile = kTileRows;  // rows: not a multiple
};

constexpr std::array<ScalingOption, 9> kScalingOptions = {
    ScalingOption{.name = "1", .sm_count = 2, .l2_bandwidth = 1.5, .dram_bandwidth = 1.5},
    ScalingOption{.name = "2", .sm_count = 4, .l2_bandwidth = 2, .dram_bandwidth = 2},
    ScalingOption{.name = "3", .mac_per_sm = 2},
    ScalingOption{.name = "4", .mac_per_sm = 4},
    ScalingOption{.name = "5",
                  .mac_per_sm = 4,
                  .registers = 2,
                  .smem = 2,
                  .smem_bandwidth = 2,
                  .l1_bandwidth = 1.5,
                  .l2_bandwidth = 1.5,
                  .dram_bandwidth = 1.5},
    ScalingOption{.name = "6",
                  .mac_per_sm = 6,
                  .registers = 2,
                  .smem = 2,
                  .smem_bandwidth = 2,
                  .l1_bandwidth = 2,
                  .l2_bandwidth = 1.5,
                  .dram_bandwidth = 2},
    ScalingOption{.name = "7",
                  .mac_per_sm = 8,
                  .registers = 3,
                  .smem = 3,
                  .smem_bandwidth = 3,
                  .l1_bandwidth = 2,
                  .l2_bandwidth = 2,
                  .dram_bandwidth = 2,
                  .cta_tile = kWideTileRows},
    ScalingOption{.name = "8",
                  .sm_count = 2,
                  .mac_per_sm = 4,
                  .registers = 2,
                  .smem = 2,
                  .smem_bandwidth = 2,
                  .l1_bandwidth = 2,
                  .l2_bandwidth = 2,
                  .dram_bandwidth = 2,
                  .cta_tile = kWideTileRows},
    ScalingOption{.name = "9",
                  .mac_per_sm = 8,
                  .registers = 3,
                  .smem = 3,
                  .smem_bandwidth = 3,
                  .l1_bandwidth = 2,
                  .l2_bandwidth = 2,
                  .dram_bandwidth = 3,
                  .cta_tile = kWideTileRows}};

// The option as a design over the base GPU.
DesignPoint design_of(const ScalingOption& option, const Gpu& base);

// One row of the study: an option, its time and speedup over the base GPU, and what limits it.
struct ScalingRow {
  ScalingOption option;  // "0": the base GPU
  Unfit unfit = Unfit::none;
  double time = 0;  // seconds
  double speedup = 1;
  std::array<double, kBottlenecks> shares{};  // of `time`, that each thing limits
  std::array<double, kBottlenecks> layers{};  // that each thing limits
};

// The base GPU and all options that the method can be asked for: the tiles of options 7 to 9 are for method delta.
// Errors: those of make_evaluator().
Result<std::vector<ScalingRow>> scaling_study(const Gpu& base, const WeightedWorkload& workload,
                                              const PredictOptions& options);

}  // namespace rooftile
