#include "rooftile/calibration/constants.hpp"

#include "rooftile/calibration/attention_constants.hpp"
#include "rooftile/calibration/given_constants.hpp"
#include "rooftile/calibration/miopen_constants.hpp"
#include "rooftile/calibration/recurrent_constants.hpp"
#include "rooftile/calibration/simt_gemm_constants.hpp"
#include "rooftile/calibration/stream_constants.hpp"
#include "rooftile/calibration/tensor_constants.hpp"
#include "rooftile/calibration/tensor_conv_constants.hpp"

namespace rooftile {
namespace {

// No efficiency above 1, no latency, energy or overhead below 0. Energies reach up to what a 28 nm chip needs.
constexpr std::array kConv = {
    ConstantInfo{"narrow_efficiency", "", 0.82, 0.2, 1,
                 "share of the MAC rate that the main loop of a tile up to 32 wide reaches"},
    ConstantInfo{"middle_efficiency", "", 0.9, 0.2, 1,
                 "share of the MAC rate that the main loop of a tile up to 64 wide reaches"},
    ConstantInfo{"wide_efficiency", "", 0.9, 0.2, 1,
                 "share of the MAC rate that the main loop of a tile wider than 64 reaches"},
    ConstantInfo{"winograd_efficiency", "", 0.80, 0.2, 1,
                 "share of the MAC rate that the fused Winograd kernel reaches, its transforms included"},
    ConstantInfo{"batched_efficiency", "", 0.80, 0.2, 1,
                 "share of the MAC rate that the GEMMs between Winograd transforms reach"},
    ConstantInfo{"gradient_efficiency", "", 0.90, 0.2, 1, "backward kernels relative to forward ones of the same tile"},
    ConstantInfo{"prologue", "steps of k", 16, 0, 200,
                 "length of filling the pipeline and storing the tile, in steps of the loop"},
    ConstantInfo{"winograd_prologue", "channels", 16, 0, 200,
                 "length of filling the pipeline and storing the tile of a Winograd kernel, in channels"},
    ConstantInfo{"latency_warps", "warps", 4, 0, 64, "warps an SM needs in order to hide its latencies"},
    ConstantInfo{"l2_efficiency", "", 0.60, 0.1, 1, "share of the L2 bandwidth reached"},
    ConstantInfo{"dram_load_efficiency", "", 0.85, 0.2, 1, "share of the DRAM bandwidth reached by loads"},
    ConstantInfo{"dram_store_efficiency", "", 0.85, 0.2, 1, "share of the DRAM bandwidth reached by stores"},
    ConstantInfo{"unaligned_store", "", 0.40, 0, 2,
                 "extra store traffic where rows of the output do not start on a sector"},
    ConstantInfo{"stream_efficiency", "", 0.70, 0.1, 1, "share of the DRAM bandwidth that transform kernels reach"},
    ConstantInfo{"mac_energy", "pJ", 40, 0, 120, "energy of one multiply-accumulate with all that feeds it, at 16 nm"},
    ConstantInfo{"byte_energy", "pJ", 60, 0, 300, "energy of one byte moved from or to DRAM, at 16 nm"},
    ConstantInfo{"power_window", "us", 100, 0, 500, "run time that a power cap does not see yet"},
    ConstantInfo{"kernel_gap", "us", 3, 0, 15,
                 "from the end of a kernel to the start of the next of the same operator"},
    ConstantInfo{"atomics", "1/clk/SM", 0.5, 0.05, 4, "atomic additions an SM completes per clock"},
    kConvertedFp16,
    kConvertedBf16,
};

}  // namespace

std::string_view name_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::conv_simt:
      return "conv_simt";
    case KernelFamily::gemm_simt:
      return "gemm_simt";
    case KernelFamily::tensor:
      return "tensor";
    case KernelFamily::conv_tensor:
      return "conv_tensor";
    case KernelFamily::attention:
      return "attention";
    case KernelFamily::stream:
      return "stream";
    case KernelFamily::recurrent:
      return "recurrent";
    case KernelFamily::conv_miopen:
      return "conv_miopen";
  }
  return "";
}

std::span<const ConstantInfo> constant_table(KernelFamily family) {
  switch (family) {
    case KernelFamily::conv_simt:
      return kConv;
    case KernelFamily::gemm_simt:
      return kSimtGemmConstants;
    case KernelFamily::tensor:
      return kTensorConstants;
    case KernelFamily::conv_tensor:
      return kTensorConvConstants;
    case KernelFamily::attention:
      return kAttentionConstants;
    case KernelFamily::stream:
      return kStreamConstants;
    case KernelFamily::recurrent:
      return kRecurrentConstants;
    case KernelFamily::conv_miopen:
      return kMiopenConstants;
  }
  return {};
}

Constants unfitted_constants(KernelFamily family) {
  const std::span<const ConstantInfo> table = constant_table(family);
  Constants constants;
  for (std::size_t i = 0; i < table.size(); ++i) constants.values[i] = table[i].start;
  return constants;
}

}  // namespace rooftile
