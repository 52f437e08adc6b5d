#include "rooftile/plan/gemm_kernels.hpp"

#include <algorithm>
#include <array>

#include "rooftile/base/rounded.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/kernel_name.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

// Threads from profiles; registers and shared memory as profilers report them for these kernels.
constexpr GemmKernel k128x128 = {128, 128, 8, 256, 128, 16, false, Constant::efficiency_128x128};
constexpr GemmKernel k128x64 = {128, 64, 8, 128, 120, 12, false, Constant::efficiency_128x64};
constexpr GemmKernel k64x64 = {64, 64, 8, 64, 120, 8, false, Constant::efficiency_64x64};
constexpr GemmKernel k128x32 = {128, 32, 8, 256, 57, 10, false, Constant::efficiency_128x32};
constexpr GemmKernel k32x128 = {32, 128, 8, 256, 57, 10, false, Constant::efficiency_32x128};
constexpr GemmKernel k32x32Sliced = {32, 32, 32, 128, 86, 32, true, Constant::efficiency_32x32_sliced};
constexpr GemmKernel k64x32Sliced = {64, 32, 32, 256, 128, 48, true, Constant::efficiency_64x32_sliced};
constexpr GemmKernel k128x32Sliced = {128, 32, 32, 256, 128, 40, true, Constant::efficiency_128x32_sliced};

// Without a number of its own: as the sliced one.
constexpr GemmKernel k32x32 = {32, 32, 32, 128, 64, 16, false, Constant::efficiency_32x32_sliced};

constexpr GemmKernel old(GemmKernel kernel, Constant efficiency) {
  kernel.efficiency = efficiency;
  return kernel;
}
constexpr GemmKernel kOld128x64 = old(k128x64, Constant::old_efficiency_128x64);
constexpr GemmKernel kOld64x64 = old(k64x64, Constant::old_efficiency_64x64);
constexpr GemmKernel kOld128x32 = old(k128x32, Constant::old_efficiency_128x32);
constexpr GemmKernel kOld32x128 = old(k32x128, Constant::old_efficiency_32x128);

constexpr std::array kNew = {k128x128, k128x64, k64x64, k128x32, k32x128, k32x32Sliced, k64x32Sliced, k128x32Sliced};
constexpr std::array kNewBatched = {k128x64, k64x64, k128x32, k32x128};
constexpr std::array kOldOnes = {kOld128x64, kOld64x64, kOld128x32, kOld32x128};
constexpr std::array kOldByColumns = {kOld64x64, kOld32x128, kOld128x32};
constexpr std::array kOldLater = {kOld128x64, k32x32};
constexpr std::array kEarly = {k128x128, kOld128x64, k32x32};

// Of rocBLAS for lanes (library/src/blas3/Tensile/Logic/asm_full/vega20): tiles down to 16 a side for whatever order of
// storage, workgroups of 256, 16 steps of k at a time in two buffers of shared memory. Registers, rounded: the sums of
// a thread, its operands twice, what it loads for the next step, and some twenty for addresses.
constexpr GemmKernel tensile(int columns, int rows, double registers, Constant efficiency) {
  constexpr int kDepth = 16;
  constexpr double kStages = 2, kElement = 4, kKib = 1024;
  return {columns, rows,      kDepth, 256, registers, kStages * kDepth * (columns + rows) * kElement / kKib,
          false,   efficiency};
}
constexpr std::array kTensile = {
    tensile(128, 128, 128, Constant::efficiency_128x128),   tensile(128, 64, 96, Constant::efficiency_128x64),
    tensile(64, 128, 96, Constant::efficiency_128x64),      tensile(64, 64, 64, Constant::efficiency_64x64),
    tensile(128, 32, 64, Constant::efficiency_128x32),      tensile(32, 128, 64, Constant::efficiency_32x128),
    tensile(64, 32, 48, Constant::efficiency_64x32_sliced), tensile(32, 64, 48, Constant::efficiency_64x32_sliced),
    tensile(32, 32, 32, Constant::efficiency_32x32_sliced), tensile(64, 16, 32, Constant::efficiency_32x32_sliced),
    tensile(16, 64, 32, Constant::efficiency_32x32_sliced), tensile(16, 16, 32, Constant::efficiency_32x32_sliced)};

// Of the years of Maxwell and Pascal; of later ones for a product that is no batch, with B stored k x n.
std::span<const GemmKernel> early_kernels(const GemmSetting& setting) {
  if (!setting.early) return kOldLater;
  return std::span(kEarly).first(setting.small_tiles ? kEarly.size() : kEarly.size() - 1);
}

}  // namespace

GemmSetting gemm_setting(const Gpu& gpu, bool b_n_by_k) {
  const double generation = gpu.generation;
  return {.old_kernels = generation < generation::kVolta,
          .one_row_major = generation >= generation::kAmpere,
          .small_tiles = generation >= generation::kPascal,
          .early = generation < generation::kPascal,
          .b_n_by_k = b_n_by_k,
          .tensile = gpu.vendor == "amd"};
}

std::span<const GemmKernel> gemm_kernels(const GemmSetting& setting) {
  if (setting.tensile) return kTensile;
  if (setting.old_kernels) {
    if (setting.early || (setting.alone && !setting.b_n_by_k)) return early_kernels(setting);
    if (setting.b_n_by_k) return kOldByColumns;
    return std::span(kOldOnes).first(1);
  }
  if (setting.b_n_by_k || setting.alone) return kNew;
  if (setting.one_row_major) return std::span(kNew).first(1);
  return kNewBatched;
}

GemmKernel gemv_kernel(const GemmSetting& setting, bool one_row) {
  constexpr int kOutputs = 4, kDepth = 32;  // of a CTA: one warp for each
  GemmKernel kernel = {.columns = one_row ? kOutputs : 1,
                       .rows = one_row ? 1 : kOutputs,
                       .depth = kDepth,
                       .threads = 32.0 * kOutputs,
                       .registers = 32,
                       .smem_kib = 1,
                       .streams = true};
  if (setting.old_kernels) kernel.efficiency = Constant::old_efficiency_64x64;
  return kernel;
}

GemmKernel few_vectors_kernel(bool few_rows) {
  constexpr int kLong = 128, kFew = static_cast<int>(kMostVectorsOfGemm);
  return {.columns = few_rows ? kLong : kFew,
          .rows = few_rows ? kFew : kLong,
          .depth = 8,
          .threads = 128,
          .registers = 64,
          .smem_kib = 8,
          .efficiency = Constant::efficiency_64x64,
          .streams = true};
}

std::optional<GemmKernel> gemm_kernel_named(std::string_view name, bool old_kernels) {
  const std::optional<Tile> sides = tile_of_kernel(name);  // columns x rows
  if (!sides) return std::nullopt;
  const bool sliced = name.find("sliced") != std::string_view::npos;
  const auto matches = [&](const GemmKernel& kernel) {
    return kernel.columns == sides->m && kernel.rows == sides->n && kernel.sliced == sliced;
  };
  if (old_kernels) {
    const auto* found = std::find_if(kOldOnes.begin(), kOldOnes.end(), matches);
    if (found != kOldOnes.end()) return *found;
  }
  const auto* found = std::find_if(kNew.begin(), kNew.end(), matches);
  if (found == kNew.end()) return std::nullopt;
  return *found;
}

double resident_ctas(const GemmKernel& kernel, const SmLimits& sm) {
  constexpr double kKib = 1024, kWarp = 32;
  const double by_registers = rounded_down(sm.registers / (kernel.threads * kernel.registers));
  const double by_smem = rounded_down(sm.smem.value() / (kernel.smem_kib * kKib));
  const double by_warps = rounded_down(sm.warps * sm.warp_size / (rounded_up(kernel.threads / kWarp) * kWarp));
  return std::max(1.0, std::min({by_registers, by_smem, by_warps, sm.ctas}));
}

}  // namespace rooftile
