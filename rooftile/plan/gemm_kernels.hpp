// The FP32 GEMM kernels of cuBLAS, and of rocBLAS for boards without matrix cores: tile, threads and what limits how
// many CTAs an SM holds.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

// Its name has the columns of C first, as cuBLAS stores matrices by column: 128x32 is a tile of 32 rows, 128 columns.
struct GemmKernel {
  int columns = 128, rows = 128;  // of C, row-major
  int depth = 8;                  // of one step of the main loop
  double threads = 256;
  double registers = 128;  // of a thread
  double smem_kib = 16;
  bool sliced = false;  // groups of warps share k
  SimtGemmConstant efficiency = SimtGemmConstant::efficiency_128x128;
  bool streams = false;  // warps read along k, whole lines at a time

  Tile tile() const { return {rows, columns, depth}; }
};

// What decides which kernels a library has for a product.
struct GemmSetting {
  bool old_kernels = false;    // Pascal and before
  bool one_row_major = false;  // Ampere and later: one kernel for a batch where B is stored k x n
  bool small_tiles = false;    // Pascal and later: tiles of 32x32
  bool early = false;          // up to Pascal: the library of the GPU's own years (cuBLAS up to 8)
  bool b_n_by_k = false;       // B is stored n x k
  bool alone = false;          // a batch of one
  bool tensile = false;        // AMD's library
};
GemmSetting gemm_setting(const Gpu& gpu, bool b_n_by_k);

// The kernels that the library chooses from.
std::span<const GemmKernel> gemm_kernels(const GemmSetting& setting);

// The kernel for a matrix times a vector, which a library takes where C has one row or one column: it reads the matrix
// once and multiplies nothing that is padding.
GemmKernel gemv_kernel(const GemmSetting& setting, bool one_row);

// The kernel for a few rows or columns of C where the large operand is not contiguous along k: reads it whole lines at
// a time, with one accumulator for each row or column.
inline constexpr double kMostVectorsOfGemm = 8;
GemmKernel few_vectors_kernel(bool few_rows);

// The kernel that a profiler's name stands for (volta_sgemm_128x64_tn, ampere_sgemm_64x32_sliced1x4_tn); nullopt if
// the name tells no known tile.
std::optional<GemmKernel> gemm_kernel_named(std::string_view name, bool old_kernels);

// CTAs that one SM holds; at least 1.
double resident_ctas(const GemmKernel& kernel, const SmLimits& sm);

}  // namespace rooftile
