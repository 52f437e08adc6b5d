// The constants of recurrent layers. Starting values: one fit to DeepBench's cuDNN rows on M40, TITAN Xp and V100 and
// PyTorch and TensorFlow rows on V100 (docs/theory/recurrent.md). Latencies are in units of the GPU's own, so one set
// serves several architectures.
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// No efficiency above 1, no latency below 0. `old_` constants are of kernels for Pascal and before, which do not split
// k. The last five follow from kernels and hardware; the rows do not tell them from the others.
inline constexpr std::array kRecurrentConstants = {
    ConstantInfo{"chain", "", 0.83, 0, 5, "load latencies that a step waits for with each 32 B of k"},
    ConstantInfo{"backward_chain", "", 0.14, 0, 5, "the same of the data gradient"},
    ConstantInfo{"old_chain", "", 2.5, 0, 8, "chain of kernels for Pascal and before"},
    ConstantInfo{"old_backward_chain", "", 1.77, 0, 8, "backward_chain of the same"},
    ConstantInfo{"efficiency", "", 0.91, 0.3, 1, "share of the peak that the products of steps reach"},
    ConstantInfo{"old_efficiency", "", 0.61, 0.3, 1, "the same of kernels for Pascal and before"},
    ConstantInfo{"weight_passes", "", 2.1, 0, 6,
                 "how often the gradients of the weights pass through DRAM beside their products"},
    ConstantInfo{"dram_efficiency", "", 0.9, 0.5, 1, "share of the DRAM bandwidth reached", false},
    ConstantInfo{"tile_rows", "", 32, 1, 128, "sequences that a step at least computes for", false},
    ConstantInfo{"backward_launches", "", 1.25, 1, 3, "launches of a step of the data gradient, relative to forward",
                 false},
    ConstantInfo{"l2_efficiency", "", 0.85, 0.1, 1, "share of the L2 bandwidth reached, as of GEMMs on the lanes",
                 false},
    ConstantInfo{"warm_share", "", 0.9, 0, 1, "share of the L2 that keeps weights from step to step, as of other GEMMs",
                 false},
};

}  // namespace rooftile
