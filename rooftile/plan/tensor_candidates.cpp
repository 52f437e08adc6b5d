#include "rooftile/plan/tensor_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/rounded.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/best_first.hpp"
#include "rooftile/plan/gemm_candidates.hpp"
#include "rooftile/plan/gemm_shape.hpp"
#include "rooftile/plan/kernel_name.hpp"
#include "rooftile/plan/narrow_loads.hpp"
#include "rooftile/plan/resident_sums.hpp"
#include "rooftile/plan/unpacking.hpp"
#include "rooftile/plan/wasteful_tile.hpp"

namespace rooftile {
namespace {

// Tiles of the libraries' kernels (CUTLASS, cuBLAS), by the instructions that they are written for.
constexpr int kDepth = 32;
constexpr std::array kVoltaTiles = {Tile{64, 64, kDepth},   Tile{128, 64, kDepth},  Tile{64, 128, kDepth},
                                    Tile{128, 128, kDepth}, Tile{256, 128, kDepth}, Tile{128, 256, kDepth}};
constexpr std::array kAmpereTiles = {Tile{32, 64, kDepth},  Tile{64, 32, kDepth},  Tile{64, 64, kDepth},
                                     Tile{128, 64, kDepth}, Tile{64, 128, kDepth}, Tile{128, 128, kDepth},
                                     Tile{256, 64, kDepth}, Tile{64, 256, kDepth}, Tile{256, 128, kDepth},
                                     Tile{128, 256, kDepth}};
constexpr std::array kHopperTiles = {Tile{64, 16, kDepth},  Tile{64, 32, kDepth},   Tile{16, 64, kDepth},
                                     Tile{32, 64, kDepth},  Tile{64, 64, kDepth},   Tile{128, 64, kDepth},
                                     Tile{64, 128, kDepth}, Tile{128, 128, kDepth}, Tile{256, 64, kDepth},
                                     Tile{64, 256, kDepth}, Tile{256, 128, kDepth}, Tile{128, 256, kDepth}};
// Of AMD's libraries (Tensile), as rocBLAS chose them on MI100; those of 256 (hipBLASLt) last: Gpu::largest_tile.
constexpr std::array kMatrixCoreTiles = {Tile{16, 16, kDepth},   Tile{32, 32, kDepth},   Tile{64, 32, kDepth},
                                         Tile{32, 64, kDepth},   Tile{64, 64, kDepth},   Tile{128, 64, kDepth},
                                         Tile{64, 128, kDepth},  Tile{96, 96, kDepth},   Tile{128, 96, kDepth},
                                         Tile{96, 128, kDepth},  Tile{128, 128, kDepth}, Tile{256, 128, kDepth},
                                         Tile{128, 256, kDepth}, Tile{256, 256, kDepth}};
constexpr std::array kTensorSplits = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64};
constexpr auto kTensorSplitsUpTo = counts_up_to<kTensorSplits>();
constexpr SplitCounts kTensorSplitCounts(kTensorSplits, kTensorSplitsUpTo);
constexpr double kLeastSplitLoops = 4;  // of the main loop that a CTA keeps
constexpr double kMostSplitCtas = 8;    // an SM: a grid that large has no use for a split

std::span<const Tile> matrix_core_tiles(const Gpu& gpu) {
  const auto too_large = [&](const Tile& tile) { return std::max(tile.m, tile.n) > gpu.largest_tile; };
  const auto* end = std::find_if(kMatrixCoreTiles.begin(), kMatrixCoreTiles.end(), too_large);
  return {kMatrixCoreTiles.begin(), end};
}

std::span<const Tile> tiles_of(const Gpu& gpu) {
  if (gpu.vendor == "amd") return matrix_core_tiles(gpu);
  const double generation = gpu.generation;
  if (generation < generation::kTuring) return kVoltaTiles;
  if (generation < generation::kHopper) return kAmpereTiles;
  return kHopperTiles;
}

// Kernels that unpack weights have tiles for few rows (MARLIN: 16 x 128), beside what libraries have.
std::vector<Tile> unpacking_tiles(const Gpu& gpu) {
  std::vector<Tile> tiles = {Tile{16, 64, kDepth}, Tile{16, 128, kDepth}};
  const std::span<const Tile> library = tiles_of(gpu);
  tiles.insert(tiles.end(), library.begin(), library.end());
  return tiles;
}

// The tiles of a library, or those of a kernel by its name; Tensile has more of them than are listed here.
struct TileChoices {
  std::vector<Tile> own;
  std::span<const Tile> tiles;
  bool fixed = false;
};

bool same_sides(const Tile& a, const Tile& b) { return (a.m == b.m && a.n == b.n) || (a.m == b.n && a.n == b.m); }

TileChoices tile_choices(const OpShape& op, const Gpu& gpu, const PlanOptions& options) {
  TileChoices choices;
  if (op.weight > Bytes(0)) choices.own = unpacking_tiles(gpu);
  choices.tiles = choices.own.empty() ? tiles_of(gpu) : choices.own;
  const std::optional<Tile> known = options.tile ? options.tile : tile_of_kernel(options.kernel);
  if (!known) return choices;
  std::vector<Tile> alike;
  std::copy_if(choices.tiles.begin(), choices.tiles.end(), std::back_inserter(alike),
               [&](const Tile& tile) { return same_sides(tile, *known); });
  if (alike.empty() && options.kernel.starts_with("Cijk_")) {
    alike = {Tile{known->m, known->n, kDepth}, Tile{known->n, known->m, kDepth}};
  }
  choices.fixed = !alike.empty();
  if (!choices.fixed) return choices;
  choices.own = std::move(alike);
  choices.tiles = choices.own;
  return choices;
}

// Steps of the main loop are whole; of a shorter k, whole loads of 16 bytes of fp16. What is padded here costs time and
// no memory.
double padded(double k) {
  constexpr double kLoad = 8;
  const double whole = k < kDepth ? kLoad : kDepth;
  return std::ceil(k / whole) * whole;
}

// hipBLASLt, whose tiles are larger than rocBLAS's.
bool has_hipblaslt(const Gpu& gpu) {
  constexpr double kRocblasTile = 128;
  return gpu.vendor == "amd" && gpu.largest_tile > kRocblasTile;
}

// rocBLAS finds a kernel by the nearest sizes that it was tuned for, and not by the batch: those of batches are
// products of attention with heads of 64 (Tensile's logic, arcturus_Cijk_Ailk_Bljk_SB.yaml), all others of single
// products.
bool is_chosen_alone(const GemmShape& shape, const Gpu& gpu) {
  constexpr double kTunedHead = 64;
  if (gpu.vendor != "amd" || has_hipblaslt(gpu) || shape.count == 1) return false;
  return std::min(shape.n, shape.k) > kTunedHead;
}

// Of the tiles of Hopper's kernels for TF32 and INT8 in cuBLAS 13 (sm90_xmma; other types have nvjet's) those of 256 x
// 128 have two warpgroups and clusters of two CTAs, others neither; INT8 has none so large
// (data/measurements/h100-sxm5-80gb/layers/gemm.csv).
bool is_large(const Tile& tile) { return tile.m * tile.n >= 256 * 128; }

bool runs_xmma(const OpShape& op, const Gpu& gpu) {
  return generation::is_hopper(gpu.generation) && (op.precision == DType::tf32 || op.precision == DType::int8);
}

// wgmma takes operands of 32 bits only as they lie along k (PTX ISA, "Asynchronous warpgroup level matrix
// instructions": no transposition but for 16 bits), and CDNA 3's lanes pairs of them (its ISA,
// V_MFMA_F32_16X16X8_XF32), which those of A B and of most gradients do not: kernels for them transpose in shared
// memory.
bool transposes(const OpShape& op, const Gpu& gpu) {
  const GemmProduct product = gemm_product(op.gemm, op.pass);
  const bool along_k = product.k_contiguous_a && product.k_contiguous_b;
  if (op.precision != DType::tf32 || along_k) return false;
  return runs_xmma(op, gpu) || gpu.compute_capability == generation::kCdna3;
}

// Kernels of Tensile whose names show no matrix instruction run on the lanes.
double lane_kernel_share(const OpShape& op, const PlanOptions& options, const Gpu& gpu) {
  const std::string_view kernel = options.kernel;
  const bool on_lanes = kernel.starts_with("Cijk_") && kernel.find("_MI") == std::string_view::npos;
  if (op.precision != DType::fp32 || !on_lanes) return 1;
  return std::min(1.0, gpu.peak(Peak::fp32) / gpu.peak(Peak::tensor_fp32));
}

struct Context {
  const OpShape& op;
  const GemmShape& shape;
  double main_loop = 1;  // steps of it without a split
  const Gpu& gpu;
  const PlanOptions& options;
  bool tensor_memory = gpu.sm.tensor_memory > Bytes(0);
  bool xmma = false, transposes = false;
  double rate_share = 1;  // whatever the tile
};

Launch::Product product_of(const Context& context) {
  const GemmShape& shape = context.shape;
  Launch::Product product;
  product.m = shape.m;
  product.n = shape.n;
  product.k = shape.k;
  product.batch = shape.count;
  product.element = context.op.element;
  product.weight = context.op.weight;
  product.result = context.op.result;
  product.b_bytes = product.b_element() * (shape.k * shape.n * shape.count);
  product.a_bytes = std::max(Bytes(0), shape.load - product.b_bytes);
  product.b_weights = context.op.pass != Pass::bwd_weight;
  product.chosen_alone = is_chosen_alone(shape, context.gpu);
  product.asynchronous = generation::has_async_products(context.gpu.generation) || has_hipblaslt(context.gpu);
  return product;
}

// A tile of C, with what a CTA loads of A and B a step of k, and how many CTAs there are without a split.
struct TileGrid {
  Bytes loaded;
  double ctas = 0;
};

TileGrid set_tile(LaunchPlan& plan, const Tile& tile, const Context& context) {
  plan.tile = tile;
  Launch& launch = plan.main;
  Launch::Product& product = launch.product;
  product.tile_m = tile.m;
  product.tile_n = tile.n;
  product.tile_k = tile.k;
  product.rate_share = context.rate_share * unpacked_share(tile.m, context.op.unpacking_rows);
  product.transposes = context.transposes && !(context.xmma && is_large(tile));  // two warpgroups take turns
  product.shares_loads = !context.xmma || is_large(tile);
  launch.macs_per_step = static_cast<double>(tile.m) * tile.n;
  launch.resident = context.options.active_ctas_per_sm
                        ? *context.options.active_ctas_per_sm
                        : resident_by_sums(launch.macs_per_step, context.gpu.sm, context.tensor_memory);
  const double rows = std::min<double>(tile.m, context.shape.m);
  const double columns = std::min<double>(tile.n, context.shape.n);
  const bool paired = context.tensor_memory && context.shape.m > tile.m;
  return {product.element * rows + product.b_element() * (columns / (paired ? 2 : 1)),
          rounded_up(product.m / tile.m) * rounded_up(product.n / tile.n) * product.batch};
}

double steps_of(double split, const Context& context) { return std::ceil(context.main_loop / split) * kDepth; }

void set_split(LaunchPlan& plan, double split, double steps, const TileGrid& grid) {
  plan.split_k = split;
  Launch& launch = plan.main;
  launch.product.split = split;
  launch.ctas = grid.ctas * split;
  launch.steps = steps;
  launch.l2_load = grid.loaded * (launch.ctas * launch.steps);
}

// Parts that k can be split into.
double most_splits(const TileGrid& grid, const Context& context) {
  if (is_chosen_alone(context.shape, context.gpu)) return 1;
  return std::min(kMostSplitCtas * context.gpu.sm_count / grid.ctas,
                  rounded_up(context.main_loop / (kLeastSplitLoops - 1)) - 1);
}

// On Turing only batches are known to wait for narrow loads (a T4's attention), not single products.
double load_share(const OpShape& op, const Gpu& gpu) {
  if (op.gemm.groups == 1 && gpu.generation <= generation::kTuring) return 1;
  return narrow_load_share({op.gemm.n, op.gemm.k}, op.element, gpu);
}

}  // namespace

void each_tensor_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit) {
  const GemmShape shape = gemm_shape(op);
  Context context{op, shape, std::ceil(padded(shape.k) / kDepth), gpu, options};
  context.xmma = runs_xmma(op, gpu);
  context.transposes = transposes(op, gpu);
  context.rate_share = (options.padded_rows ? 1 : load_share(op, gpu)) * lane_kernel_share(op, options, gpu);
  const TileChoices choices = tile_choices(op, gpu, options);
  const std::span<const Tile> tiles = choices.tiles;
  LaunchPlan plan;
  plan.main.product = product_of(context);
  plan.main.dram_load = shape.load;
  plan.main.l2_store = plan.main.dram_store = shape.store;
  plan.main.gradient = op.pass != Pass::fwd;
  const int told = options.split_k.value_or(1);
  const SplitCounts splits = options.split_k ? SplitCounts(told) : kTensorSplitCounts;
  BestFirst candidates(splits);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (!choices.fixed && is_wasteful(tiles[i], tiles, shape.m, shape.n)) continue;
    if (!choices.fixed && context.xmma && op.precision == DType::int8 && is_large(tiles[i])) continue;
    const TileGrid grid = set_tile(plan, tiles[i], context);
    candidates.add(i, visit.tile_least(plan, grid.loaded), grid.ctas, context.main_loop, kDepth,
                   most_splits(grid, context));
  }
  candidates.visit([&](const BestFirst::Candidate& one) {
    const TileGrid grid = set_tile(plan, tiles[one.kernel], context);
    set_split(plan, one.split, steps_of(one.split, context), grid);
    return visit(plan);
  });
}

}  // namespace rooftile
