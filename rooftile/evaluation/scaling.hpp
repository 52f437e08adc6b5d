// The paper's study of other designs (Table 16a): a GPU with some of its resources multiplied.
#pragma once

#include <array>
#include <string_view>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// A column of Table 16a. Registers and shared memory act through the CTAs that an SM holds.
struct ScalingOption {
  std::string_view name;
  double sm_count = 1;
  double mac_per_sm = 1;
  double registers = 1, smem = 1;
  double smem_bandwidth = 1;
  double l1_bandwidth = 1, l2_bandwidth = 1, dram_bandwidth = 1;
};

// Options 1 to 6; 7 to 9 have a 256-wide tile that the paper does not describe.
constexpr std::array<ScalingOption, 6> kScalingOptions = {
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
                  .dram_bandwidth = 2}};

// Its `facts` stay those of the GPU before.
Gpu scaled(Gpu gpu, const ScalingOption& option);

}  // namespace rooftile
