// How a GEMM kernel would run on a GPU: CTA tile, grid, resident CTAs, waves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"

namespace rooftile {

// The last two only MIOpen has, of those that are planned.
enum class Algorithm { implicit_gemm, winograd, winograd_nonfused, fft, explicit_gemm, direct };
// Those that can be asked for.
inline constexpr std::array kAlgorithms = {Algorithm::implicit_gemm, Algorithm::winograd, Algorithm::winograd_nonfused,
                                           Algorithm::fft};
std::string_view name_of(Algorithm algorithm);

// Elements of C (m x n) that one CTA computes, and the depth k of one main-loop step.
struct Tile {
  int m = 128, n = 128, k = 8;
  bool operator==(const Tile&) const = default;
};

// What a CTA of a kernel with a given tile takes and how its warps split the tile. The paper does not publish these;
// the values and their origin are in plan.cpp and docs/theory/delta.md.
struct Kernel {
  Tile tile;
  int warp_m = 32, warp_n = 64;  // elements of C that one warp computes
  int warps = 8;
  int registers_per_thread = 128;
};

// Rows of DeLTA's Fig 6: the kernel that serves output channels up to and including `max_out_channels`.
struct KernelChoice {
  double max_out_channels = 0;
  Kernel kernel;
};
std::span<const KernelChoice> delta_kernels();

// What a user may fix instead of having it chosen.
constexpr int kMaxTileDepth = 256;
struct PlanOptions {
  std::optional<Tile> tile = {};  // one of the tiles of delta_kernels() in m and n; k is 1 to kMaxTileDepth
  std::optional<int> active_ctas_per_sm = {};
  // What is known of the kernel that really ran; DeLTA has one algorithm and ignores these.
  std::optional<std::string> algorithm = {};  // implicit_gemm, winograd, …
  std::string kernel = {};                    // its name, as a profiler prints it
  std::optional<int> split_k = {};            // CTAs that share one tile of C
  bool padded_rows = false;                   // of products, to whole loads (pads_products() of execution/)
};

struct Plan {
  Algorithm algorithm = Algorithm::implicit_gemm;
  Kernel kernel;
  double columns = 1, rows = 1;  // CTA tiles over n and over m
  double ctas = 1;               // columns x rows x groups
  double loops = 1;              // main-loop steps of a CTA: ceil(k / tile.k)
  double active_ctas_per_sm = 1;
  double ctas_per_sm = 1;  // of the busiest SM: ceil(ctas / SMs)
  double waves = 1;        // ceil(ctas_per_sm / active_ctas_per_sm)
};

// The kernel of DeLTA's Fig 6 for that many output channels (of one group).
const Kernel& delta_kernel(double out_channels);

// The kernel for a tile that the user fixed; nullopt if no kernel has its m and n.
std::optional<Kernel> kernel_for(const Tile& tile);

// Shared memory of a CTA: the input tiles of this step and of the next.
Bytes smem_of(const Kernel& kernel);

// CTAs of `kernel` that one SM holds at once: the least of what registers, shared memory (double-buffered input
// tiles), warps and the CTA limit allow; at least 1.
double resident_ctas(const Kernel& kernel, const SmLimits& sm);

// DeLTA's plan. `options.tile`, if set, must be one that kernel_for() knows.
Plan delta_plan(const Im2col& gemm, const Gpu& gpu, const PlanOptions& options = {});

// The same with a kernel of one's own; as many active CTAs as fit, unless their number is given.
Plan delta_plan(const Im2col& gemm, const Gpu& gpu, const Kernel& kernel, std::optional<int> active_ctas_per_sm = {});

}  // namespace rooftile
