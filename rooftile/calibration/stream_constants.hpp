// The constants of streaming kernels. Starting values: one fit to norms, gates, sums, activations and softmax in FP16
// on A100, and to ReLU, pooling and copies in FP32 on TITAN X (Maxwell), forward and backward
// (docs/theory/streaming.md).
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// No efficiency or share above 1, no latency or overhead below 0. Operations are instructions of one lane. The last
// four: pooling was measured on one board only, and the shares follow from the hardware.
inline constexpr std::array kStreamConstants = {
    ConstantInfo{"dram_store_efficiency", "", 0.92, 0.5, 1, "speed of stores to DRAM relative to that of loads", false},
    ConstantInfo{"l2_efficiency", "", 0.57, 0.2, 1, "share of the L2 bandwidth reached"},
    ConstantInfo{"latency", "", 1.96, 0.5, 4,
                 "time from a load to the next one that waits for it, relative to the latency of an idle GPU"},
    ConstantInfo{"start_cycles", "cycles", 2650, 0, 6000, "start of a kernel and its drain"},
    ConstantInfo{"activation_ops", "", 36, 1, 120, "operations of an error function"},
    ConstantInfo{"gate_ops", "", 41, 1, 120, "operations of a product with a sigmoid"},
    ConstantInfo{"softmax_ops", "", 54, 1, 120, "operations of an element of a softmax"},
    ConstantInfo{"column_ops", "", 70, 1, 200, "operations of adding an element to the sums of its column"},
    ConstantInfo{"window_ops", "", 36, 1, 100, "operations of looking at one element of a pooling window", false},
    ConstantInfo{"search_ops", "", 320, 0, 600, "operations of finding the pooling windows that an input lies in",
                 false},
    ConstantInfo{"warm_share", "", 0.9, 0, 1, "share of the L2 that holds what was there before", false},
    ConstantInfo{"live_share", "", 0.5, 0, 1, "share of the L2 that holds rows at work", false},
};

}  // namespace rooftile
