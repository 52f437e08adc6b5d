// The constants of GEMMs on the FP32 lanes. Starting values: one fit to the FP32 linear and bmm tables of the NeuSight
// data set, five GPUs from Pascal to Ampere (docs/theory/cuda_cores.md).
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/calibration/given_constants.hpp"

namespace rooftile {

// No efficiency above 1, no latency, energy or overhead below 0. A share of the L2 above 1 means that what is counted
// may outgrow it before it costs anything.
inline constexpr std::array kSimtGemmConstants = {
    ConstantInfo{"efficiency_128x128", "", 0.997, 0.3, 1, "share of the MAC rate that the main loop reaches"},
    ConstantInfo{"efficiency_128x64", "", 0.969, 0.3, 1, "the same, kernel 128x64"},
    ConstantInfo{"efficiency_64x64", "", 0.843, 0.3, 1, "the same, kernel 64x64"},
    ConstantInfo{"efficiency_128x32", "", 0.875, 0.3, 1, "the same, kernel 128x32"},
    ConstantInfo{"efficiency_32x128", "", 0.873, 0.3, 1, "the same, kernel 32x128"},
    ConstantInfo{"efficiency_32x32_sliced", "", 0.730, 0.3, 1, "the same, kernel 32x32 whose warps share k"},
    ConstantInfo{"efficiency_64x32_sliced", "", 0.802, 0.3, 1, "the same, kernel 64x32 whose warps share k"},
    ConstantInfo{"efficiency_128x32_sliced", "", 0.888, 0.3, 1, "the same, kernel 128x32 whose warps share k"},
    ConstantInfo{"old_efficiency_128x64", "", 0.992, 0.3, 1, "the same, kernel 128x64 for Pascal and before"},
    ConstantInfo{"old_efficiency_64x64", "", 0.855, 0.3, 1, "the same, kernel 64x64 for Pascal and before"},
    ConstantInfo{"old_efficiency_128x32", "", 0.699, 0.3, 1, "the same, kernel 128x32 for Pascal and before"},
    ConstantInfo{"old_efficiency_32x128", "", 0.761, 0.3, 1, "the same, kernel 32x128 for Pascal and before"},
    ConstantInfo{"prologue", "steps of k", 8.55, 0, 80,
                 "length of filling the pipeline and storing the tile, in steps of the loop"},
    ConstantInfo{"old_prologue", "steps of k", 21.3, 0, 80, "the same for Pascal and before"},
    ConstantInfo{"latency_warps", "warps", 6.02, 0, 32, "warps an SM needs in order to hide its latencies"},
    ConstantInfo{"l2_efficiency", "", 0.85, 0.1, 1,
                 "share of the L2 bandwidth reached; these kernels never wait for it, so no fit can tell", false},
    ConstantInfo{"reuse_share", "", 0.554, 0.02, 1,
                 "share of the L2 that B may fill and still be there for the next"
                 " row of tiles"},
    ConstantInfo{"drift", "L2s", 124, 0.2, 500,
                 "size of a shared panel at which CTAs that drifted apart along k load half of it again"},
    ConstantInfo{"line_share", "", 1.32, 0.05, 3,
                 "share of the L2 that partly used lines may fill before they are fetched again"},
    ConstantInfo{"old_line_share", "", 0.0749, 0.05, 3, "the same for Pascal and before"},
    ConstantInfo{"row_major_lines", "", 1.69, 0.05, 6, "weight of these lines where B is stored k x n"},
    ConstantInfo{"old_row_major_lines", "", 0.269, 0.05, 6, "the same for Pascal and before"},
    ConstantInfo{"line_depth", "steps of k", 235, 0, 1000, "length of k at which half of the lines are fetched again"},
    ConstantInfo{"dram_efficiency", "", 0.840, 0.3, 1, "share of the bandwidth of a stream reached"},
    ConstantInfo{"bias_passes", "", 1.48, 1, 4, "passes over the output where it starts from a bias"},
    ConstantInfo{"split_overhead", "us", 9.60, 0, 15, "adding up the parts of a split k, beside their bytes"},
    ConstantInfo{"mac_energy", "pJ", 50, 5, 160, "board energy of one multiply-accumulate at 16 nm and 1.5 GHz"},
    ConstantInfo{"power_window", "us", kPowerWindow, 20, 5000,
                 "run time after which a clock under a power cap has half fallen"},
    kOtherPower,
    kOtherShare,
    kConvertedFp16,
    kConvertedBf16,
};

}  // namespace rooftile
