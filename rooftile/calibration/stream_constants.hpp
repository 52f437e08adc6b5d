// The constants of streaming kernels.
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

inline constexpr std::array kStreamConstants = {
    ConstantInfo{"dram_efficiency", "", 0.9, 0.3, 1, "share of the DRAM bandwidth reached"},
};

}  // namespace rooftile
