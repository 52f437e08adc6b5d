// Generations of GPUs (`Gpu::generation`, NVIDIA's compute capability), and what their hardware has. Whatever depends
// on one asks here.
#pragma once

#include <string_view>

namespace rooftile::generation {

constexpr double kMaxwell = 5, kPascal = 6, kVolta = 7, kTuring = 7.5, kAmpere = 8, kAmpereRtx = 8.6, kHopper = 9,
                 kBlackwell = 10, kBlackwellRtx = 12;

// The first with cp.async (LDGSTS), with the tensor memory accelerator.
constexpr double kAsyncCopy = kAmpere, kTma = kHopper;

// Compute capabilities (`Gpu::compute_capability`) of AMD's GPUs with matrix cores that differ in what their libraries
// choose, or in how their matrix instructions read operands.
constexpr std::string_view kCdna1 = "gfx908", kCdna2 = "gfx90a", kCdna3 = "gfx942";

// GCN 5, CDNA 1 and 2, for whose instructions MIOpen's kernels in assembler are written; CDNA 3 lacks some of them.
constexpr bool is_gfx90(std::string_view compute_capability) { return compute_capability.substr(0, 5) == "gfx90"; }

// Two products of FP16 added to a sum in FP32 by one instruction of the lanes (V_DOT2_F32_F16): AMD's from Vega 20 on,
// but for the first RDNA (the instruction set manuals of Vega 7 nm, CDNA 1 to 3, RDNA 2 and 3).
constexpr bool has_dot_products(std::string_view compute_capability) {
  return compute_capability.substr(0, 3) == "gfx" && compute_capability != "gfx900" && compute_capability != "gfx1010";
}

constexpr bool has_tensor_cores(double generation) { return generation >= kVolta; }

// Whose tensor cores multiply what warpgroups leave in shared memory (wgmma), and have no memory of their own.
constexpr bool is_hopper(double generation) { return generation >= kHopper && generation < kBlackwell; }

// Tensor cores that run beside the threads of a CTA (wgmma, tcgen05).
constexpr bool has_async_products(double generation) { return generation >= kHopper && generation < kBlackwellRtx; }

// Sums of tensor cores have a memory of their own beside the registers, and pairs of SMs multiply together, each
// holding half of the columns of B that both need.
constexpr bool has_tensor_memory(double generation) { return generation >= kBlackwell && generation < kBlackwellRtx; }

// Switches that sum what passes through them (NVLink SHARP) come with its NVLink.
constexpr bool has_summing_switches(double generation) { return generation >= kHopper; }

// Chips for data centers, whose SMs have more shared memory and faster tensor cores than those of the same years for
// workstations and games.
constexpr bool is_for_data_centers(double generation) {
  return generation < kAmpereRtx || has_async_products(generation);
}

}  // namespace rooftile::generation
