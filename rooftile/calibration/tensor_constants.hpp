// The constants of GEMMs and convolutions on tensor cores. Starting values: one fit to BF16 and FP16 GEMMs on A100,
// H100 and L40S (docs/theory/tensor_cores.md). They are in units of the GPU's own facts, so one set serves several
// architectures.
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/calibration/given_constants.hpp"

namespace rooftile {

// No efficiency or share above 1, no latency or overhead below 0. What is not fitted follows from the hardware
// or from published figures; the times of GEMMs do not tell it from the others.
inline constexpr std::array kTensorConstants = {
    ConstantInfo{"efficiency", "", 0.978, 0.3, 1,
                 "share of the dense peak at the sustained clock that main loops reach"},
    ConstantInfo{"fill", "", 0.917, 0, 4, "CTAs beside the first that an SM needs to be busy all the time"},
    ConstantInfo{"l2_efficiency", "", 0.787, 0.2, 1, "share of the L2 bandwidth reached"},
    ConstantInfo{"dram_efficiency", "", 0.87, 0.75, 1, "share of the DRAM bandwidth reached"},
    ConstantInfo{"epilogue", "", 2, 0, 3,
                 "prologue and epilogue of a CTA, in times of storing its tile at its share of the L2 bandwidth"},
    ConstantInfo{"miss_latency", "", 0.274, 0, 1.5,
                 "latency of operands from DRAM beyond that of the L2, relative to it"},
    ConstantInfo{"wave_overlap", "", 0.39, 0, 1,
                 "how far a last wave counts only its share: 0 whole waves, 1 its share"},
    ConstantInfo{"split_cycles", "cycles", 5085, 0, 15000, "what adding up the parts of a split k takes at least"},
    ConstantInfo{"start_cycles", "cycles", 3742, 0, 6000, "start of a kernel, its first loads and its drain"},
    ConstantInfo{"reread", "", 1.5, 0, 4, "operands read again from DRAM, relative to square waves of CTAs", false},
    ConstantInfo{"bytes_in_flight", "B", 256, 32, 4096, "of a row of A that a CTA has under way", false},
    ConstantInfo{"clock_share", "", 0.6, 0, 1, "where the sustained clock lies between base and boost", false},
    ConstantInfo{"warm_share", "", 0.9, 0, 1, "share of the L2 that holds what was there before", false},
    ConstantInfo{"reread_share", "", 0.5, 0, 1, "share of the L2 that spares reading operands again", false},
    ConstantInfo{"sm_draw", "B/clk", 128, 32, 1024, "that one SM can load", false},
    kTensorMacEnergy,
    kOtherPower,
    kOtherShare,
    kFp8Share,
    kTensorPowerWindow,
    kTransposedShare,
    kBf16Energy,
};

}  // namespace rooftile
