#include "rooftile/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

// The paper names three tiles and plots which one serves how many output channels (Fig 6); the boundaries are a
// reconstruction of that plot, and 65 to 96 channels really do get the narrow tile: AlexNet conv1 (96 filters) is
// limited by the L1 only then, as the paper reports (docs/theory/delta.md, ambiguity 4). Threads and warp tiles are
// those of CUTLASS 0.1's SGEMM policies for the nearest tiles, registers per thread the sums that fit them
// (docs/theory/delta.md, "Inputs the paper leaves out").
constexpr Kernel kWide = {.tile = {128, 128, 8}, .warp_m = 32, .warp_n = 64, .warps = 8, .registers_per_thread = 128};
constexpr Kernel kMiddle = {.tile = {128, 64, 4}, .warp_m = 32, .warp_n = 64, .warps = 4, .registers_per_thread = 128};
constexpr Kernel kNarrow = {.tile = {128, 32, 4}, .warp_m = 32, .warp_n = 32, .warps = 4, .registers_per_thread = 80};

constexpr std::array kKernels = {
    KernelChoice{32, kNarrow},  KernelChoice{64, kMiddle}, KernelChoice{96, kNarrow},  KernelChoice{128, kWide},
    KernelChoice{192, kMiddle}, KernelChoice{256, kWide},  KernelChoice{320, kMiddle}, KernelChoice{INFINITY, kWide},
};

constexpr double kElementBytes = 4;  // FP32, the only precision of the paper

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::implicit_gemm:
      return "implicit_gemm";
    case Algorithm::winograd:
      return "winograd";
    case Algorithm::winograd_nonfused:
      return "winograd_nonfused";
    case Algorithm::fft:
      return "fft";
    case Algorithm::explicit_gemm:
      return "explicit_gemm";
    case Algorithm::direct:
      return "direct";
  }
  return "";
}

std::span<const KernelChoice> delta_kernels() { return kKernels; }

const Kernel& delta_kernel(double out_channels) {
  for (const KernelChoice& choice : kKernels) {
    if (out_channels <= choice.max_out_channels) return choice.kernel;
  }
  return kKernels.back().kernel;
}

std::optional<Kernel> kernel_for(const Tile& tile) {
  for (const KernelChoice& choice : kKernels) {
    if (choice.kernel.tile.m != tile.m || choice.kernel.tile.n != tile.n) continue;
    Kernel kernel = choice.kernel;
    kernel.tile = tile;
    return kernel;
  }
  return std::nullopt;
}

Bytes smem_of(const Kernel& kernel) {
  const double inputs = static_cast<double>(kernel.tile.m + kernel.tile.n) * kernel.tile.k;
  return Bytes(2 * inputs * kElementBytes);
}

double resident_ctas(const Kernel& kernel, const SmLimits& sm) {
  constexpr double kThreadsPerWarp = 32;  // of the kernels above, whatever the hardware bundles
  const double threads = kernel.warps * kThreadsPerWarp;
  const double by_registers = sm.registers / (threads * kernel.registers_per_thread);
  const double by_smem = sm.smem / smem_of(kernel);
  const double by_warps = sm.warps / std::ceil(threads / sm.warp_size);
  return std::max(1.0, std::floor(std::min({by_registers, by_smem, by_warps, sm.ctas})));
}

Plan delta_plan(const Im2col& gemm, const Gpu& gpu, const Kernel& kernel, std::optional<int> active_ctas_per_sm) {
  Plan plan;
  plan.kernel = kernel;
  const Tile& tile = plan.kernel.tile;
  plan.columns = std::ceil(gemm.n / tile.n);
  plan.rows = std::ceil(gemm.m / tile.m);
  plan.ctas = plan.columns * plan.rows * gemm.groups;
  plan.loops = std::ceil(gemm.k / tile.k);
  plan.active_ctas_per_sm = active_ctas_per_sm ? *active_ctas_per_sm : resident_ctas(plan.kernel, gpu.sm);
  plan.ctas_per_sm = std::ceil(plan.ctas / gpu.sm_count);
  plan.waves = std::ceil(plan.ctas_per_sm / plan.active_ctas_per_sm);
  return plan;
}

Plan delta_plan(const Im2col& gemm, const Gpu& gpu, const PlanOptions& options) {
  const Kernel kernel = options.tile ? kernel_for(*options.tile).value_or(kWide) : delta_kernel(gemm.out_channels);
  return delta_plan(gemm, gpu, kernel, options.active_ctas_per_sm);
}

}  // namespace rooftile
