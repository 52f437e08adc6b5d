#include "rooftile/plan/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/fft.hpp"
#include "rooftile/plan/gemm_candidates.hpp"
#include "rooftile/plan/gemm_shape.hpp"
#include "rooftile/plan/kernel_name.hpp"
#include "rooftile/plan/miopen_candidates.hpp"
#include "rooftile/plan/tensor_candidates.hpp"
#include "rooftile/plan/tensor_conv.hpp"
#include "rooftile/plan/winograd.hpp"

namespace rooftile {
namespace {

// A kernel's tile with what decides how many fit an SM, and the constant that says how well it issues.
struct TileKernel {
  Kernel kernel;
  ConvConstant efficiency = ConvConstant::middle_efficiency;
};

// cuDNN's SGEMM-tile kernels, those first that are most often the fastest; threads as profilers report them, registers
// as their occupancy shows.
constexpr std::array kConvTiles = {
    TileKernel{{.tile = {128, 128, 8}, .warp_m = 32, .warp_n = 64, .warps = 8, .registers_per_thread = 128},
               ConvConstant::wide_efficiency},
    TileKernel{{.tile = {128, 64, 8}, .warp_m = 32, .warp_n = 64, .warps = 4, .registers_per_thread = 128},
               ConvConstant::middle_efficiency},
    TileKernel{{.tile = {128, 32, 8}, .warp_m = 64, .warp_n = 32, .warps = 2, .registers_per_thread = 128},
               ConvConstant::narrow_efficiency},
};

// Those of inference engines on Volta and later take channels four at a time where they are contiguous
// (volta_scudnn_128x64_sliced1x2_ldg4_relu_exp_small_nhwc_tn_v1, 128x32_sliced1x4, 128x128_ldg4 beside the above in a
// log of TensorRT's builder, https://github.com/NVIDIA/TensorRT/issues/1090): warps of a CTA share k, so that every
// tile has eight of them.
constexpr std::array kSlicedConvTiles = {
    kConvTiles[0],
    TileKernel{{.tile = {128, 64, 8}, .warp_m = 32, .warp_n = 64, .warps = 8, .registers_per_thread = 128},
               ConvConstant::middle_efficiency},
    TileKernel{{.tile = {128, 32, 8}, .warp_m = 64, .warp_n = 32, .warps = 8, .registers_per_thread = 128},
               ConvConstant::narrow_efficiency},
    kConvTiles[1],
    kConvTiles[2],
};

// Of cuDNN 9 from Hopper on (sm80_xmma), as profilers report them there; on Ampere and Ada profiles still have the
// above (ampere_scudnn_128x64_relu_xregs_large_nn and the like).
constexpr std::array kLaterConvTiles = {
    TileKernel{{.tile = {256, 64, 8}, .warp_m = 64, .warp_n = 64, .warps = 4, .registers_per_thread = 255},
               ConvConstant::wide_efficiency},
    TileKernel{{.tile = {128, 32, 8}, .warp_m = 32, .warp_n = 32, .warps = 4, .registers_per_thread = 166},
               ConvConstant::middle_efficiency},
    TileKernel{{.tile = {32, 32, 8}, .warp_m = 32, .warp_n = 16, .warps = 2, .registers_per_thread = 92},
               ConvConstant::narrow_efficiency},
};

// Later weight gradients run the small one, cuDNN's older engines among them (wgrad_alg0_engine<float, 128, 5, 5, …>).
std::span<const TileKernel> conv_tiles(const OpShape& op, const Gpu& gpu) {
  constexpr double kChannels = 4;
  const bool sliced = op.engine && op.pass == Pass::fwd && op.gemm.groups == 1 &&
                      std::fmod(op.gemm.in_channels, kChannels) == 0 && gpu.generation >= generation::kVolta;
  if (gpu.generation < generation::kHopper) return sliced ? std::span<const TileKernel>(kSlicedConvTiles) : kConvTiles;
  const std::span<const TileKernel> later = kLaterConvTiles;
  return op.pass == Pass::bwd_weight ? later.last(1) : later;
}

constexpr double kMostSplits = 64;
constexpr double kLeastSplitSteps = 64;  // of k that a CTA keeps: fewer and the split costs more than it brings

struct Context {
  const OpShape& op;
  const Gpu& gpu;
  const PlanOptions& options;
  const std::optional<Tile>& tile;  // of the options, or as it follows from them
  const VisitPlan& visit;
};

// A product with what the tiles of so many rows have in common.
struct Product {
  GemmShape shape;
  double rows = 0;
  double unique = 1;  // share of a tile of A

  void set_rows(double tile_rows) {
    if (rows == tile_rows) return;
    rows = tile_rows;
    unique = unique_share(shape, rows);
  }
};

void set_launch(Launch& launch, const Product& product, const TileKernel& entry, double resident, double split,
                const Context& context) {
  const GemmShape& shape = product.shape;
  const Tile& tile = entry.kernel.tile;
  launch.ctas = std::ceil(shape.m / tile.m) * std::ceil(shape.n / tile.n) * shape.count * split;
  launch.macs_per_step = static_cast<double>(tile.m) * tile.n;
  launch.steps = std::ceil(shape.k / split / tile.k) * tile.k;
  launch.warps = entry.kernel.warps;
  launch.resident = resident;
  launch.efficiency = entry.efficiency;
  launch.gradient = context.op.pass != Pass::fwd;
  launch.rate_share = launch.gradient ? context.gpu.gradient_share : 1;
  // CTAs of each class of rows load their share of B, few as they may be.
  const double again = std::max(1.0, shape.classes / std::ceil(shape.m / tile.m));
  const double loaded = launch.steps * (tile.n * again + tile.m * product.unique);
  launch.l1_load = Bytes(0);
  launch.l2_load = std::max(shape.load, context.op.element * (launch.ctas * loaded));  // outputs of padding alone, too
  launch.dram_load = shape.load;
  launch.l2_store = launch.dram_store = shape.store * split;
  launch.aligned_store = shape.aligned_store;
}

void visit_tile(LaunchPlan& plan, const Product& product, const TileKernel& entry, double resident,
                const Context& context) {
  const GemmShape& shape = product.shape;
  const Tile& tile = entry.kernel.tile;
  const double ctas = std::ceil(shape.m / tile.m) * std::ceil(shape.n / tile.n) * shape.count;
  const bool may_split =
      context.op.pass == Pass::bwd_weight || context.options.split_k || ctas * kIdleShare <= context.gpu.sm_count;
  plan.tile = tile;
  const double most = std::max(kMostSplits, 2 * context.gpu.sm_count / ctas);
  for (double split = 1; split <= most; split *= 2) {
    if (context.options.split_k && split != *context.options.split_k) continue;
    plan.split_k = split;
    set_launch(plan.main, product, entry, resident, split, context);
    plan.move_count = 0;
    if (split > 1) plan.add_after(shape.store * split, shape.store);  // a second kernel adds the parts up
    context.visit(plan);
    if (!may_split || shape.k / split < 2 * kLeastSplitSteps) break;
  }
}

void visit_scatter(const Product& product, const TileKernel& entry, double resident, const Context& context) {
  const GemmShape& shape = product.shape;
  LaunchPlan plan;
  plan.tile = entry.kernel.tile;
  set_launch(plan.main, product, entry, resident, 1, context);
  plan.main.atomics = shape.m * shape.n * shape.count;
  plan.add_after(Bytes(0), shape.store / 2.0);  // the inputs' gradient starts from zero
  context.visit(plan);
}

bool wanted(const PlanOptions& options, std::string_view algorithm) {
  return !options.algorithm || *options.algorithm == algorithm;
}

bool same_sides(const TileKernel& entry, const std::optional<Tile>& wanted) {
  return wanted && wanted->m == entry.kernel.tile.m && wanted->n == entry.kernel.tile.n;
}

// Registers are what SMs of some design may lack; a tile needs little shared memory.
bool holds_cta(const Kernel& kernel, const SmLimits& sm) {
  constexpr double kThreadsPerWarp = 32;
  return kernel.warps * kThreadsPerWarp * kernel.registers_per_thread <= sm.registers;
}

// The implicit GEMM with every tile that the options leave; all of them where no tile is what they ask for. Tiles whose
// CTAs no SM holds are left out, but for the one of fewest registers.
void each_tile(const OpShape& op, const Context& context) {
  Product gathered{gemm_shape(op)};
  const bool may_scatter = op.pass == Pass::bwd_data &&
                           op.gemm.filter_volume * op.gemm.stride[0] * op.gemm.stride[1] * op.gemm.stride[2] > 1;
  Product scattered{may_scatter ? scatter_shape(op) : GemmShape{}};
  const std::span<const TileKernel> tiles = conv_tiles(op, context.gpu);
  const bool any_wanted =
      std::any_of(tiles.begin(), tiles.end(), [&](const TileKernel& entry) { return same_sides(entry, context.tile); });
  const auto is_left_out = [&](const TileKernel& entry) {
    if (any_wanted) return !same_sides(entry, context.tile);
    return &entry != &tiles.back() && !holds_cta(entry.kernel, context.gpu.sm);
  };
  LaunchPlan plan;
  for (const TileKernel& entry : tiles) {
    if (is_left_out(entry)) continue;
    const double resident = context.options.active_ctas_per_sm ? *context.options.active_ctas_per_sm
                                                               : resident_ctas(entry.kernel, context.gpu.sm);
    gathered.set_rows(entry.kernel.tile.m);
    visit_tile(plan, gathered, entry, resident, context);
    if (!may_scatter) continue;
    scattered.set_rows(entry.kernel.tile.m);
    visit_scatter(scattered, entry, resident, context);
  }
}

}  // namespace

void each_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit) {
  if (op.family == KernelFamily::conv_miopen) return each_miopen_plan(op, gpu, options, visit);
  if (op.family == KernelFamily::tensor) return each_tensor_plan(op, gpu, options, visit);
  if (op.family == KernelFamily::conv_tensor) return each_tensor_conv_plan(op, gpu, options, visit);
  if (op.family == KernelFamily::gemm_simt) {
    each_gemm_plan(op, gpu, options, visit);
    return;
  }
  // Of Winograd's kernels cuDNN has none for GPUs before Maxwell at first, and from Hopper on those of weight gradients
  // alone (data/measurements/h100-sxm5-80gb/layers/conv.csv): other passes of 3x3 run the FFT there.
  const bool later = gpu.generation >= generation::kHopper;
  const bool winograd = has_winograd(op) && (op.winograd_before_maxwell || gpu.generation >= generation::kMaxwell) &&
                        (!later || op.pass == Pass::bwd_weight);
  const bool fused = winograd && wanted(options, name_of(Algorithm::winograd)) && has_fused_winograd(op);
  const bool nonfused = winograd && wanted(options, name_of(Algorithm::winograd_nonfused));
  if (!options.tile && fused) visit(fused_winograd(op));
  if (!options.tile && nonfused) each_nonfused_winograd(op, later, visit);
  // Small filters gain too little from a transform of whole maps to look at it, unless it is asked for or in place of
  // Winograd.
  constexpr double kManyTaps = 25;
  const bool many_taps = op.gemm.filter_volume >= kManyTaps || options.algorithm || later;
  const bool fft = has_fft(op) && many_taps && wanted(options, name_of(Algorithm::fft));
  if (!options.tile && fft) each_fft(op, visit);
  const bool other = options.algorithm && (fused || nonfused || fft);
  if (other && !options.tile) return;

  std::optional<Tile> tile = options.tile;
  if (!tile) tile = tile_of_kernel(options.kernel);
  if (!tile && op.choice == TileChoice::by_channels) tile = delta_kernel(op.gemm.out_channels).tile;
  each_tile(op, {op, gpu, options, tile, visit});
}

}  // namespace rooftile
