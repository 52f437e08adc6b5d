// Constants that several families share and that no fit determines: each is set from published figures.
#pragma once

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// What a board's power goes to besides arithmetic: memory, regulators and leakage take their part whatever runs (boards
// that idle at full clocks take 25 to 80 W). Set, with the scaling of mac_energy by the process, from published
// torch.mm rates of eight boards that no fit has rows of (docs/theory.md, "GEMM on FP32 lanes").
inline constexpr ConstantInfo kOtherPower = {
    "other_power", "W", 30, 0, 200, "power that goes elsewhere than into arithmetic", false};
inline constexpr ConstantInfo kOtherShare = {
    "other_share", "", 0.1, 0, 0.9, "share of the board's power that goes elsewhere, beside other_power", false};

// Of products on tensor cores one after another, which run into the board's power cap as a call that is timed alone
// does not: what BERT on a T4 shows (26 of 65 TFLOP/s). It gives 99 TFLOP/s on a V100 SXM2, 82 on an A10, 272 on an
// A100 SXM, about what these boards sustain.
inline constexpr ConstantInfo kTensorMacEnergy = {
    "mac_energy", "pJ", 8, 0, 100, "board energy of one FP16 multiply-accumulate in a network, at 16 nm and 1.5 GHz",
    false};

// Of TensorRT-LLM's products of 256 rows and more on an H100 and an L40S (tools/fit_fp8.py).
inline constexpr ConstantInfo kFp8Share = {
    "fp8_share", "", 0.85, 0.3, 1, "what products in FP8 reach of the share of their peak that other types reach",
    false};

}  // namespace rooftile
