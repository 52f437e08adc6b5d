// The fitted constants of the refined time model: what each means, its unit and its physical bounds.
//
// Kernels of one family share a form of the model and so a table of constants.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace rooftile {

// Kernels that share constants: who wrote them, and which unit they keep busy.
enum class KernelFamily {
  conv_simt,    // convolutions on the FP32 lanes (cuDNN)
  gemm_simt,    // GEMMs on the FP32 lanes (cuBLAS)
  tensor,       // GEMMs on tensor cores
  conv_tensor,  // convolutions on tensor cores (cuDNN, CUTLASS)
  attention,    // fused attention on tensor cores
  stream,       // whatever only streams its tensors
  recurrent,    // what a recurrent layer adds to its GEMMs
  conv_miopen,  // convolutions on AMD's GPUs (MIOpen)
};
inline constexpr std::array kKernelFamilies = {
    KernelFamily::conv_simt, KernelFamily::gemm_simt, KernelFamily::tensor,    KernelFamily::conv_tensor,
    KernelFamily::attention, KernelFamily::stream,    KernelFamily::recurrent, KernelFamily::conv_miopen};
std::string_view name_of(KernelFamily family);

// The families of products on tensor cores: one form, one enumeration of constants.
constexpr bool on_tensor_cores(KernelFamily family) {
  return family == KernelFamily::tensor || family == KernelFamily::conv_tensor;
}

// Of conv_simt (timing/conv_time.cpp).
enum class ConvConstant {
  narrow_efficiency,
  middle_efficiency,
  wide_efficiency,
  winograd_efficiency,
  batched_efficiency,
  gradient_efficiency,
  prologue,
  winograd_prologue,
  latency_warps,
  l2_efficiency,
  dram_load_efficiency,
  dram_store_efficiency,
  unaligned_store,
  stream_efficiency,
  mac_energy,
  byte_energy,
  power_window,
  kernel_gap,
  atomics,
  converted_fp16,
  converted_bf16,
};

// Of gemm_simt (timing/simt_gemm_time.cpp). `old` are kernels for Pascal and before.
enum class SimtGemmConstant {
  efficiency_128x128,
  efficiency_128x64,
  efficiency_64x64,
  efficiency_128x32,
  efficiency_32x128,
  efficiency_32x32_sliced,
  efficiency_64x32_sliced,
  efficiency_128x32_sliced,
  old_efficiency_128x64,
  old_efficiency_64x64,
  old_efficiency_128x32,
  old_efficiency_32x128,
  prologue,
  old_prologue,
  latency_warps,
  l2_efficiency,
  reuse_share,
  drift,
  line_share,
  old_line_share,
  row_major_lines,
  old_row_major_lines,
  line_depth,
  dram_efficiency,
  bias_passes,
  split_overhead,
  mac_energy,
  power_window,
  other_power,
  other_share,
  converted_fp16,
  converted_bf16,
};

// Of tensor and conv_tensor (timing/tensor_gemm_time.cpp); those from convert_efficiency on of conv_tensor alone.
enum class TensorConstant {
  efficiency,
  fill,
  l2_efficiency,
  dram_efficiency,
  epilogue,
  miss_latency,
  wave_overlap,
  split_cycles,
  start_cycles,
  reread,
  bytes_in_flight,
  clock_share,
  warm_share,
  reread_share,
  sm_draw,
  mac_energy,
  other_power,
  other_share,
  fp8_share,
  power_window,
  transposed_share,
  bf16_energy,
  convert_efficiency,
  convert_cycles,
  lanes_efficiency,
};

// Of attention (timing/attention_time.cpp).
enum class AttentionConstant {
  efficiency,
  older_efficiency,
  fp8_efficiency,
  promoted_efficiency,
  spilled_efficiency,
  narrow_efficiency,
  softmax,
  overlapped_softmax,
  backward_vector,
  block_scales,
  ordered_sums,
  wave_overlap,
  tile_cycles,
  group_cycles,
  vector_cycles,
  group_step,
  vector_step,
  converted_step,
  paged_cycles,
  paged_step,
  paged_mask,
  scan_cycles,
  combine_cycles,
  token_cycles,
  written_token_cycles,
  kernel_cost,
  power_window,
  l2_efficiency,
  dram_efficiency,
  clock_share,
  warm_share,
};

// Of stream (timing/stream_kernel_time.cpp).
enum class StreamConstant {
  dram_store_efficiency,
  l2_efficiency,
  latency,
  start_cycles,
  activation_ops,
  gate_ops,
  softmax_ops,
  column_ops,
  window_ops,
  search_ops,
  warm_share,
  live_share,
};

// Of recurrent (predict/recurrent_time.cpp). `old` are kernels for Pascal and before.
enum class RecurrentConstant {
  chain,
  backward_chain,
  old_chain,
  old_backward_chain,
  efficiency,
  old_efficiency,
  weight_passes,
  dram_efficiency,
  tile_rows,
  backward_launches,
  l2_efficiency,
  warm_share,
};

// Of conv_miopen (timing/miopen_time.cpp).
enum class MiopenConstant {
  matrix_efficiency,
  blas_efficiency,
  blas_lane_efficiency,
  lane_efficiency,
  winograd_efficiency,
  transformed_efficiency,
  direct_efficiency,
  direct_weight_efficiency,
  pointwise_weight_efficiency,
  gather,
  fill,
  latency,
  draw,
  epilogue,
  wave_overlap,
  dram_efficiency,
  transpose_efficiency,
  unfold_efficiency,
  start,
  kernel_gap,
  blas_call,
  blas_gap,
  split_overhead,
  direct_split_overhead,
  reread_share,
};

// What an architecture says of a constant before any fit.
struct ConstantInfo {
  std::string_view name;
  std::string_view unit;  // empty: a ratio
  double start, low, high;
  std::string_view meaning;
  bool fitted = true;  // false: known from the hardware, a fit leaves it
};

inline constexpr std::size_t kMostConstants = 32;

// One row a constant, in the order of the family's enumeration; at most kMostConstants.
std::span<const ConstantInfo> constant_table(KernelFamily family);

struct Constants {
  std::array<double, kMostConstants> values{};

  template <class Which>  // the enumeration of the family that the constants are of
  double operator[](Which which) const {
    return values[static_cast<std::size_t>(which)];
  }
  template <class Which>
  double& operator[](Which which) {
    return values[static_cast<std::size_t>(which)];
  }
  bool operator==(const Constants&) const = default;
};

// The starting values of the table: nothing fitted.
Constants unfitted_constants(KernelFamily family);

}  // namespace rooftile
