#include "rooftile/calibration/constants.hpp"

namespace rooftile {
namespace {

// No efficiency above 1, no latency, energy or overhead below 0. Energies reach up to what a 28 nm chip needs.
constexpr std::array<ConstantInfo, kConstants> kTable = {{
    {"narrow_efficiency", "", 0.82, 0.2, 1, "share of the MAC rate that the main loop of a tile up to 32 wide reaches"},
    {"middle_efficiency", "", 0.9, 0.2, 1, "the same for tiles up to 64 wide"},
    {"wide_efficiency", "", 0.9, 0.2, 1, "the same for wider tiles"},
    {"winograd_efficiency", "", 0.80, 0.2, 1, "the same for the fused Winograd kernel, its transforms included"},
    {"batched_efficiency", "", 0.80, 0.2, 1, "the same for the GEMMs between Winograd transforms"},
    {"gradient_efficiency", "", 0.90, 0.2, 1, "backward kernels relative to forward ones of the same tile"},
    {"prologue", "steps of k", 16, 0, 200, "length of filling the pipeline and storing the tile, in steps of the loop"},
    {"winograd_prologue", "channels", 16, 0, 200, "the same for Winograd kernels"},
    {"latency_warps", "warps", 4, 0, 64, "warps an SM needs in order to hide its latencies"},
    {"l2_efficiency", "", 0.60, 0.1, 1, "share of the L2 bandwidth reached"},
    {"dram_load_efficiency", "", 0.85, 0.2, 1, "share of the DRAM bandwidth reached by loads"},
    {"dram_store_efficiency", "", 0.85, 0.2, 1, "share of the DRAM bandwidth reached by stores"},
    {"unaligned_store", "", 0.40, 0, 2, "extra store traffic where rows of the output do not start on a sector"},
    {"stream_efficiency", "", 0.70, 0.1, 1, "share of the DRAM bandwidth that transform kernels reach"},
    {"mac_energy", "pJ", 40, 0, 120, "energy of one multiply-accumulate with all that feeds it, at 16 nm"},
    {"byte_energy", "pJ", 60, 0, 300, "energy of one byte moved from or to DRAM, at 16 nm"},
    {"power_window", "us", 100, 0, 500, "run time that a power cap does not see yet"},
    {"kernel_gap", "us", 3, 0, 15, "from the end of a kernel to the start of the next of the same operator"},
    {"atomics", "1/clk/SM", 0.5, 0.05, 4, "atomic additions an SM completes per clock"},
}};

}  // namespace

std::string_view name_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::conv_simt:
      return "conv_simt";
    case KernelFamily::gemm_simt:
      return "gemm_simt";
    case KernelFamily::tensor:
      return "tensor";
  }
  return "";
}

std::span<const ConstantInfo, kConstants> constant_table() { return kTable; }

Constants unfitted_constants() {
  Constants constants;
  for (std::size_t i = 0; i < kConstants; ++i) constants.values[i] = kTable[i].start;
  return constants;
}

}  // namespace rooftile
