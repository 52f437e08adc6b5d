// Constants that several families share and that no fit determines: each is set from published figures.
#pragma once

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// What a board's power goes to besides arithmetic: memory, regulators and leakage take their part whatever runs (boards
// that idle at full clocks take 25 to 80 W). Set, with the scaling of mac_energy by the process, from published
// torch.mm rates of eight boards that no fit has rows of (docs/theory/cuda_cores.md).
inline constexpr ConstantInfo kOtherPower = {
    "other_power", "W", 30, 0, 200, "power that goes elsewhere than into arithmetic", false};
inline constexpr ConstantInfo kOtherShare = {
    "other_share", "", 0.1, 0, 0.9, "share of the board's power that goes elsewhere, beside other_power", false};

// Of long products on tensor cores, and of those of a network, which run into the board's power cap: what BERT on a T4
// shows (26 of 65 TFLOP/s in FP16) and torch.mm of 8,192 and 10,240 on an L4, V100, A100 PCIe, H100 PCIe and H100 SXM
// (7.7 to 9.4 in FP16 and BF16; data/measurements/torch_matmul.csv). It gives 26 TFLOP/s on the T4, 56, 99, 204, 450
// and 703 in FP16 on the others.
inline constexpr ConstantInfo kTensorMacEnergy = {
    "mac_energy",
    "pJ",
    8,
    0,
    100,
    "board energy of one FP16 multiply-accumulate that is one of many, at 16 nm and 1.5 GHz",
    false};

// Of products on the FP32 lanes before any fit; no fit tells it of those on tensor cores.
inline constexpr double kPowerWindow = 744;  // us
inline constexpr ConstantInfo kTensorPowerWindow = {
    "power_window", "us", kPowerWindow, 20, 5000, "run time after which a clock under a power cap has half fallen",
    false};

// Of TF32 on an H100 and an H200 at 1,024: 18 us for A B, 12 to 13 for A B^T
// (data/measurements/h100-sxm5-80gb/layers/gemm.csv).
inline constexpr ConstantInfo kTransposedShare = {
    "transposed_share",
    "",
    0.72,
    0.3,
    1,
    "share of its rate that a lone warpgroup reaches which transposes its operands in shared memory",
    false};

// Multipliers of 8 bits in place of 11. In a long product of random numbers an MI300X keeps 93 % of BF16's clock in
// FP16 and so does an MI325X (AMD, Measuring Max-Achievable FLOPs, part 2), which is its square; torch.mm of 8,192 and
// 10,240 runs 3 to 12 % faster in BF16 on five boards at their cap (data/measurements/torch_matmul.csv).
inline constexpr ConstantInfo kBf16Energy = {
    "bf16_energy", "", 0.86, 0, 1, "energy of a BF16 multiply-accumulate relative to FP16's", false};

// Of TensorRT-LLM's products of 256 rows and more on an H100 and an L40S (tools/fit_fp8.py).
inline constexpr ConstantInfo kFp8Share = {
    "fp8_share", "", 0.85, 0.3, 1, "what products in FP8 reach of the share of their peak that other types reach",
    false};

// Of PyTorch's large products on six boards from Pascal to Turing: BF16 reaches 0.42 to 0.76 of the FP32 rate, FP16 on
// the three of Pascal 0.75 to 0.98 (data/measurements/torch_matmul.csv; the geometric means).
inline constexpr ConstantInfo kConvertedFp16 = {
    "converted_fp16",
    "",
    0.86,
    0.3,
    1,
    "share of the FP32 rate that lanes reach which convert operands from FP16",
    false};
inline constexpr ConstantInfo kConvertedBf16 = {"converted_bf16", "", 0.59, 0.3, 1, "the same from BF16", false};

}  // namespace rooftile
