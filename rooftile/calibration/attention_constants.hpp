// The constants of fused attention. Starting values: one fit to BF16 and FP8 attention of vLLM, SGLang and TensorRT-LLM
// on A100, H100 and L40S (docs/theory/attention.md). Cycles and shares of the GPU's own facts, so one set serves
// several architectures.
#pragma once

#include <array>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// No efficiency or share above 1, no time below 0. Those that are not fitted follow from the hardware and are those of
// the GEMMs on tensor cores; of the power window, two of the three GPUs say nothing. Those of backward passes and of
// Blackwell are of GB200 alone.
inline constexpr std::array kAttentionConstants = {
    ConstantInfo{"efficiency", "", 0.72, 0.3, 1, "share of the dense peak that products of FlashAttention reach"},
    ConstantInfo{"older_efficiency", "", 0.42, 0.2, 1, "the same of TensorRT-LLM, FlashInfer and Triton before Hopper"},
    ConstantInfo{"fp8_efficiency", "", 0.5, 0.2, 1, "the same of FP8"},
    ConstantInfo{"promoted_efficiency", "", 0.285, 0.1, 1, "the same of FP8 whose sums are added up in FP32"},
    ConstantInfo{"spilled_efficiency", "", 0.19, 0.05, 1,
                 "the same of FP8 before Hopper with head dimensions that do not fit its tiles"},
    ConstantInfo{"narrow_efficiency", "", 0.28, 0.05, 1, "the same with head dimensions of at most 64"},
    ConstantInfo{"softmax", "", 0.52, 0, 2, "time of a step's exponentials that products do not hide"},
    ConstantInfo{"overlapped_softmax", "", 1.07, 0.5, 2,
                 "the same where they run beside products, which keep their sums in tensor memory"},
    ConstantInfo{"backward_vector", "", 3.1, 1, 6, "work of the lanes on a pair of a backward pass, in exponentials"},
    ConstantInfo{"block_scales", "", 1.18, 1, 2, "the same where every few elements of FP8 have a scale"},
    ConstantInfo{"ordered_sums", "", 1.2, 1, 2, "time of a backward pass whose sums have an order, of one without"},
    ConstantInfo{"wave_overlap", "", 0.64, 0, 1, "how far a last wave counts only its share, of persistent CTAs"},
    ConstantInfo{"tile_cycles", "cycles", 8000, 0, 20000, "start and end of a CTA with a large tile"},
    ConstantInfo{"group_cycles", "cycles", 5100, 0, 20000,
                 "the same with a group of heads, at a small head dimension; twice at 256"},
    ConstantInfo{"vector_cycles", "cycles", 2350, 0, 20000, "the same of a CTA without a tile"},
    ConstantInfo{"group_step", "cycles", 1360, 0, 10000,
                 "wait for 64 keys of 128 where a CTA with a group of heads waits for each"},
    ConstantInfo{"vector_step", "cycles", 1450, 0, 10000, "64 keys of 128 in a CTA without a tile"},
    ConstantInfo{"converted_step", "cycles", 10000, 0, 20000, "the same with FP8 keys that are converted first"},
    ConstantInfo{"paged_cycles", "cycles", 2400, 0, 20000,
                 "start and end of a large tile against paged keys, at a small head dimension; twice at 256"},
    ConstantInfo{"paged_step", "cycles", 2700, 0, 10000, "its step over 128 keys of 128"},
    ConstantInfo{"paged_mask", "cycles", 3000, 0, 10000, "a window's masks where registers are short"},
    ConstantInfo{"scan_cycles", "cycles", 600, 0, 3000, "looking for a tile among the lengths of 31 sequences"},
    ConstantInfo{"combine_cycles", "cycles", 7900, 0, 30000, "what adding up split keys takes at least"},
    ConstantInfo{"token_cycles", "cycles", 2350, 0, 20000,
                 "writing tokens to the cache, for as many as fill the threads of an SM"},
    ConstantInfo{"written_token_cycles", "cycles", 5500, 0, 30000, "the same by a kernel with a CTA for each token"},
    ConstantInfo{"kernel_cost", "", 1.38, 0, 4, "each kernel after the first, in launch overheads"},
    ConstantInfo{"power_window", "us", 20, 0, 1000, "of products until the clock is half way down to the sustained",
                 false},
    ConstantInfo{"l2_efficiency", "", 0.7, 0.5, 1, "share of the L2 bandwidth reached"},
    ConstantInfo{"dram_efficiency", "", 0.93, 0.5, 1, "share of the DRAM bandwidth reached"},
    ConstantInfo{"clock_share", "", 0.6, 0, 1, "where the sustained clock lies between base and boost", false},
    ConstantInfo{"warm_share", "", 0.9, 0, 1, "share of the L2 that holds what was there before", false},
};

}  // namespace rooftile
