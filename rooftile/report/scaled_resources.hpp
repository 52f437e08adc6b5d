// What an option of the scaling study multiplies, as its reports call it.
#pragma once

#include <array>
#include <string_view>

#include "rooftile/explore/scaling.hpp"

namespace rooftile {

struct ScaledResource {
  std::string_view name, column;
  double ScalingOption::*multiple;
};
inline constexpr std::array kScaledResources = {
    ScaledResource{"SMs", "sms", &ScalingOption::sm_count},
    ScaledResource{"MACs", "macs_of_an_sm", &ScalingOption::mac_per_sm},
    ScaledResource{"regs", "registers", &ScalingOption::registers},
    ScaledResource{"smem", "smem", &ScalingOption::smem},
    ScaledResource{"smem bw", "smem_bandwidth", &ScalingOption::smem_bandwidth},
    ScaledResource{"L1 bw", "l1_bandwidth", &ScalingOption::l1_bandwidth},
    ScaledResource{"L2 bw", "l2_bandwidth", &ScalingOption::l2_bandwidth},
    ScaledResource{"DRAM bw", "dram_bandwidth", &ScalingOption::dram_bandwidth},
    ScaledResource{"tile", "cta_tile", &ScalingOption::cta_tile},
};

}  // namespace rooftile
