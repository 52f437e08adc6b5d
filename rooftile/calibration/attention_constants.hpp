// The constants of fused attention.
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

inline constexpr std::array kAttentionConstants = {
    ConstantInfo{"efficiency", "", 0.7, 0.2, 1, "share of the dense peak that the products reach"},
    ConstantInfo{"dram_efficiency", "", 0.85, 0.3, 1, "share of the DRAM bandwidth reached"},
};

}  // namespace rooftile
