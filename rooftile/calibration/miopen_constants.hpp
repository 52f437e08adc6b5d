// The constants of convolutions as MIOpen runs them on AMD's GPUs. Starting values: one fit to the fastest solvers of
// MIOpen's find database on MI100 and MI210, three passes in FP32, FP16 and BF16 (docs/theory/amd_convolutions.md).
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// No efficiency above 1, no latency or overhead below 0.
inline constexpr std::array kMiopenConstants = {
    ConstantInfo{"matrix_efficiency", "", 0.98, 0.3, 1, "share of the matrix cores' rate that implicit GEMMs reach"},
    ConstantInfo{"blas_efficiency", "", 0.97, 0.3, 1, "the same of rocBLAS"},
    ConstantInfo{"blas_lane_efficiency", "", 0.8, 0.3, 1, "the same of rocBLAS on the lanes, without matrix cores"},
    ConstantInfo{"lane_efficiency", "", 0.3, 0.05, 1, "share of the lanes' rate that implicit GEMMs reach"},
    ConstantInfo{"winograd_efficiency", "", 0.66, 0.2, 1,
                 "share of the lanes' rate that the Winograd kernel reaches, its transforms included"},
    ConstantInfo{"transformed_efficiency", "", 0.24, 0.05, 1,
                 "share of their unit's rate that the GEMMs between Winograd transforms reach"},
    ConstantInfo{"direct_efficiency", "", 0.1, 0.02, 1, "share of the lanes' rate that direct kernels reach"},
    ConstantInfo{"direct_weight_efficiency", "", 0.16, 0.02, 1, "the same of direct kernels for gradients of filters"},
    ConstantInfo{"pointwise_weight_efficiency", "", 0.5, 0.1, 1,
                 "the same of the kernel for the gradients of filters of one tap, whose waves keep their own sums"},
    ConstantInfo{"gather", "", 1.1, 0, 4, "time of loads of rows that lie apart, relative to four a clock and CU"},
    ConstantInfo{"fill", "", 0.76, 0, 4, "CTAs beside the first that a CU needs to be busy all the time"},
    ConstantInfo{"latency", "", 5.1, 0, 10, "time of a load in the main loop, relative to the latency of an idle L2"},
    ConstantInfo{"draw", "", 0.22, 0.05, 1, "share of 64 B a clock that a CU loads from the L2"},
    ConstantInfo{"epilogue", "", 1.4, 0, 6,
                 "prologue and epilogue of a CTA, in times of storing its tile at 16 B a clock"},
    ConstantInfo{"wave_overlap", "", 0.5, 0, 1,
                 "how far a last wave counts only its share: 0 whole waves, 1 its share"},
    ConstantInfo{"dram_efficiency", "", 0.95, 0.3, 1, "share of the DRAM bandwidth of reads that products reach"},
    ConstantInfo{"transpose_efficiency", "", 0.92, 0.2, 1, "share of it that transposes reach"},
    ConstantInfo{"unfold_efficiency", "", 0.52, 0.05, 1, "share of it that unfolding images, or folding them, reaches"},
    ConstantInfo{"start", "us", 3.8, 0, 20, "start of a kernel and its drain, beside the overhead of a launch"},
    ConstantInfo{"kernel_gap", "us", 7.8, 0, 30, "what every further kernel of a call adds to its bytes"},
    ConstantInfo{"blas_call", "us", 36, 0, 80, "what a call of rocBLAS takes at least"},
    ConstantInfo{"blas_gap", "us", 20, 0, 50, "what each kernel of a loop over images adds to its bytes and products"},
    ConstantInfo{"split_overhead", "us", 16, 0, 60,
                 "clearing the results, and adding the parts of a split k to them, beside their bytes"},
    ConstantInfo{"direct_split_overhead", "us", 2.4, 0, 30, "the same where the parts are added up in the kernel"},
    ConstantInfo{"reread_share", "", 0.5, 0, 1, "share of the L2 that spares reading operands again", false},
};

}  // namespace rooftile
