#include "rooftile/explore/tile_kernel.hpp"

#include <array>
#include <cmath>

namespace rooftile {

Kernel tile_kernel(double out_channels, double tile_rows) {
  if (tile_rows <= kTileRows) return delta_kernel(out_channels);
  Kernel kernel = delta_kernel(out_channels / 2);
  kernel.tile.m *= 2;
  kernel.tile.n *= 2;
  kernel.warps *= 4;
  return kernel;
}

Plan tile_plan(const Im2col& gemm, const Gpu& gpu, double tile_rows) {
  return delta_plan(gemm, gpu, tile_kernel(gemm.out_channels, tile_rows));
}

std::string_view name_of(Unfit unfit) {
  constexpr std::array<std::string_view, kUnfits> kNames = {"", "constraint", "registers", "smem", "warps"};
  return kNames[static_cast<std::size_t>(unfit)];
}

std::string_view reason_of(Unfit unfit) {
  constexpr std::array<std::string_view, kUnfits> kReasons = {
      "", "a constraint excludes them", "the registers of an SM cannot hold a CTA",
      "the shared memory of a CTA is too small", "an SM holds fewer warps than a CTA has"};
  return kReasons[static_cast<std::size_t>(unfit)];
}

Unfit unfit_of(const Kernel& kernel, const SmLimits& sm) {
  constexpr double kThreadsPerWarp = 32;  // of the kernels, as in resident_ctas()
  const double threads = kernel.warps * kThreadsPerWarp;
  if (threads * kernel.registers_per_thread > sm.registers) return Unfit::registers;
  if (smem_of(kernel) > sm.smem_per_cta) return Unfit::smem;
  if (std::ceil(threads / sm.warp_size) > sm.warps) return Unfit::warps;
  return Unfit::none;
}

}  // namespace rooftile
