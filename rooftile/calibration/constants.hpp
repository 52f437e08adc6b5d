// The fitted constants of the refined time model: what each means, its unit and its physical bounds.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace rooftile {

// Kernels that share constants: who wrote them, and which unit they keep busy.
enum class KernelFamily {
  conv_simt,  // convolutions on the FP32 lanes (cuDNN)
  gemm_simt,  // GEMMs on the FP32 lanes (cuBLAS)
  tensor,     // GEMMs and convolutions on tensor cores
};
constexpr std::size_t kKernelFamilies = 3;
std::string_view name_of(KernelFamily family);

enum class Constant {
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
};
constexpr std::size_t kConstants = 19;

struct ConstantInfo {
  std::string_view name;
  std::string_view unit;  // empty: a ratio
  double start, low, high;
  std::string_view meaning;
};
std::span<const ConstantInfo, kConstants> constant_table();

struct Constants {
  std::array<double, kConstants> values{};

  double operator[](Constant which) const { return values[static_cast<std::size_t>(which)]; }
  double& operator[](Constant which) { return values[static_cast<std::size_t>(which)]; }
  bool operator==(const Constants&) const = default;
};

// The starting values of the table: nothing fitted.
Constants unfitted_constants();

}  // namespace rooftile
