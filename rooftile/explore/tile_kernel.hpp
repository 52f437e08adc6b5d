// CTA tiles beyond those of DeLTA: the kernel and plan of a tile that is twice as wide and high, and whether a CTA
// fits.
#pragma once

#include <string_view>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

// Values of the parameter cta_tile: rows of the tile.
constexpr double kTileRows = 128, kWideTileRows = 256;

// The kernel for that many output channels (of one group). 128: delta_kernel(). 256, the paper's Table 16a: its rows
// and columns doubled, depth and warp tile kept, so that a CTA has four times the warps and a thread as many registers.
// As the tile is twice as wide, Fig 6 is read at half the channels: 256 columns of C for 256 channels, not for 128.
Kernel tile_kernel(double out_channels, double tile_rows);

// delta_plan() with that kernel.
Plan tile_plan(const Im2col& gemm, const Gpu& gpu, double tile_rows);

// What keeps a design from being one.
enum class Unfit {
  none,
  constraint,  // a constraint of the space says no
  registers,   // of an SM: fewer than a CTA takes
  smem,        // of a CTA: less than its input tiles take
  warps,       // of an SM: fewer than a CTA has
};
constexpr std::size_t kUnfits = 5;
std::string_view name_of(Unfit unfit);
std::string_view reason_of(Unfit unfit);  // a sentence

// Whether one CTA of the kernel fits an SM. (resident_ctas() says 1 even where none does.)
Unfit unfit_of(const Kernel& kernel, const SmLimits& sm);

}  // namespace rooftile
