#include "rooftile/plan/miopen_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "rooftile/plan/miopen_layer.hpp"
#include "rooftile/plan/resident_sums.hpp"
#include "rooftile/plan/wasteful_tile.hpp"

namespace rooftile {
namespace {

// Sides of tiles, positions x filters: of implicit GEMMs on matrix cores, of those on the lanes, of direct kernels and
// of direct kernels for the gradient of filters.
constexpr int kMiopenDepth = 16;
constexpr Tile sides(int m, int n) { return {m, n, kMiopenDepth}; }
constexpr std::array kMatrixTiles = {sides(256, 128), sides(128, 256), sides(256, 64), sides(64, 256), sides(128, 128),
                                     sides(128, 64),  sides(64, 128),  sides(64, 64),  sides(256, 32), sides(32, 256),
                                     sides(128, 32),  sides(32, 128),  sides(64, 32),  sides(32, 64),  sides(32, 32),
                                     sides(16, 64),   sides(64, 16)};
constexpr std::array kLaneTiles = {sides(128, 128), sides(128, 64), sides(64, 128), sides(64, 64), sides(64, 32),
                                   sides(32, 64),   sides(64, 16),  sides(16, 64),  sides(32, 32)};
constexpr std::array kMiopenDirectTiles = {sides(64, 32), sides(128, 16), sides(64, 16), sides(256, 8),
                                           sides(64, 8),  sides(256, 4),  sides(64, 4)};
constexpr std::array kDirectWeightTiles = {sides(64, 64), sides(128, 32), sides(32, 32),
                                           sides(64, 16), sides(16, 64),  sides(16, 16)};
// Of one wave each, in ConvAsmBwdWrW1x1: its lanes hold a sum for every 16 numbers of the tile and for parts of the
// positions besides, in at most half of the registers.
constexpr std::array kWaveTiles = {sides(128, 16), sides(64, 32), sides(32, 64), sides(16, 128), sides(64, 16),
                                   sides(32, 32),  sides(16, 64), sides(32, 16), sides(16, 32),  sides(16, 16)};
constexpr double kLeastPartDepth = 64;  // of k that a CTA keeps
constexpr double kMostSplitGrid = 8;    // a CU; the source has up to 10 (WRW_MAX_GEMM_K_SPLITS)
constexpr double kMostParts = 128;      // where the search ends: MIOpen limits the grid, not the parts

// A product with what all tiles of a kind of kernel have in common.
struct Kind {
  LaunchPlan plan;  // all but what depends on tile and split
  double m = 1, n = 1, k = 1, count = 1;
  double row_loads = 1, column_loads = 1;  // elements that a step of k loads
  Bytes operands;                          // each element once
  std::span<const Tile> tiles = kMatrixTiles;
  double least_splits = 1, most_splits = 1;
  double partial_sums = 1;  // that a CTA holds of each of its results
  bool clips = false;       // tiles have no more columns than the product
  bool exact = false;       // tiles divide the product: nothing is padded
};

// Of a tile: what a CTA loads a step of k, in elements, and how many CTAs there are without a split.
struct MiopenGrid {
  double loaded, ctas;
};

class MiopenPlans {
 public:
  MiopenPlans(const MiopenLayer& layer, const PlanOptions& options, const VisitPlan& visit)
      : layer_(layer), options_(options), visit_(visit) {}

  // The kinds that run an algorithm; all of them without one. Whether there was any.
  bool visit(std::optional<std::string_view> algorithm) {
    const auto wanted = [&](Algorithm which) { return !algorithm || *algorithm == name_of(which); };
    if (wanted(Algorithm::implicit_gemm)) visit_implicit();
    if (wanted(Algorithm::explicit_gemm)) visit_explicit();
    if (wanted(Algorithm::winograd) || wanted(Algorithm::winograd_nonfused)) visit_winograd();
    if (wanted(Algorithm::direct)) visit_direct();
    return visited_;
  }

 private:
  // The product of the pass, with operands and results once.
  Kind kind_of(Algorithm algorithm, MiopenConstant efficiency, double peak_share) const {
    Kind kind;
    kind.plan.algorithm = algorithm;
    Launch& launch = kind.plan.main;
    launch.product.element = layer_.element;
    launch.gradient = layer_.pass != Pass::fwd;
    launch.miopen.efficiency = efficiency;
    launch.miopen.peak_share = peak_share;
    const MiopenLayer& layer = layer_;
    switch (layer.pass) {
      case Pass::fwd:
        set_product(kind, layer.batch * layer.out, layer.out_channels, layer.in_channels * layer.taps);
        break;
      case Pass::bwd_data:  // a product for each class of inputs that the same taps meet
        set_product(kind, layer.batch * layer.class_in, layer.in_channels, layer.out_channels * layer.class_taps);
        launch.miopen.kernels = layer.classes;
        break;
      case Pass::bwd_weight:
        set_product(kind, layer.in_channels * layer.taps, layer.out_channels, layer.batch * layer.out);
        break;
    }
    set_tensors(kind, layer.x_read);
    kind.count = layer.groups;
    return kind;
  }
  // `x`: what of the inputs is loaded, or stored.
  void set_tensors(Kind& kind, Bytes x) const {
    switch (layer_.pass) {
      case Pass::fwd:
        return set_memory(kind, x + layer_.w, layer_.y);
      case Pass::bwd_data:
        return set_memory(kind, layer_.y * layer_.classes + layer_.w, x);
      case Pass::bwd_weight:
        return set_memory(kind, x + layer_.y, layer_.w);
    }
  }
  static void set_product(Kind& kind, double m, double n, double k) {
    kind.m = m;
    kind.n = n;
    kind.k = k;
  }
  static void set_memory(Kind& kind, Bytes load, Bytes store) {
    kind.operands = kind.plan.main.dram_load = load;
    kind.plan.main.l2_store = kind.plan.main.dram_store = store;
  }

  // In NCHW: rows of a tile lie apart in memory, and those of a strided layer are loaded as whole lines. A strided
  // gradient writes every other input of a line, which DRAM can only do by loading the line first, and clears those
  // that no tap meets.
  void make_planar(Kind& kind) const {
    Launch& launch = kind.plan.main;
    if (layer_.pass != Pass::bwd_data) kind.row_loads = layer_.line_loads;
    if (layer_.pass == Pass::bwd_data && layer_.partial_lines) {
      const Bytes lines = layer_.x_read * layer_.line_writes;
      launch.dram_load += lines;
      launch.l2_store = launch.dram_store = lines;
    }
    add_clear(kind);
  }
  void add_clear(Kind& kind) const {
    if (layer_.pass == Pass::bwd_data && layer_.misses_inputs) kind.plan.add_before(Bytes(0), layer_.x);
  }

  // Parts of a weight gradient in NCHW are whole images.
  double planar_splits() const { return layer_.weights() ? std::min(kMostParts, layer_.batch) : 1; }

  void visit_implicit() {
    if (layer_.matrix && layer_.has_planar_matrix()) {
      Kind kind = kind_of(Algorithm::implicit_gemm, MiopenConstant::matrix_efficiency, layer_.planar_share);
      make_planar(kind);
      if (layer_.precision == DType::bf16 && layer_.pass == Pass::bwd_data) {
        kind.exact = true;
        kind.m = layer_.batch * layer_.slice_in;
      }
      kind.plan.main.miopen.row_loads = 1 / layer_.row_vector();
      kind.plan.main.miopen.column_loads = 1 / layer_.column_vector();
      kind.most_splits = planar_splits();
      visit_kind(kind);
    }
    if (layer_.matrix && layer_.has_channels_last()) visit_channels_last();
    if (layer_.has_lane_product()) {
      Kind kind = kind_of(Algorithm::implicit_gemm, MiopenConstant::lane_efficiency, layer_.lanes);
      make_planar(kind);
      kind.tiles = kLaneTiles;
      kind.most_splits = planar_splits();
      visit_kind(kind);
    }
    if (layer_.has_lane_product() && layer_.pass == Pass::bwd_data && layer_.out == 1 && !layer_.pointwise)
      visit_single_output();
  }

  // The data gradient of one output: each input has one tap, so all of them are columns of one product (MIOpen's
  // BwdDataV1R1), where the classes above multiply every tap by padding.
  void visit_single_output() {
    Kind kind = kind_of(Algorithm::implicit_gemm, MiopenConstant::lane_efficiency, layer_.lanes);
    set_product(kind, layer_.batch, layer_.in_channels * layer_.taps, layer_.out_channels);
    set_memory(kind, layer_.y + layer_.w, layer_.x_read);
    kind.plan.main.miopen.kernels = 1;
    add_clear(kind);
    kind.tiles = kLaneTiles;
    visit_kind(kind);
  }

  // In NHWC: tensors are transposed before and after; filters of one tap need no transpose.
  void visit_channels_last() {
    Kind kind = kind_of(Algorithm::implicit_gemm, MiopenConstant::matrix_efficiency, 1);
    set_tensors(kind, layer_.x_met);
    add_clear(kind);
    kind.most_splits = kMostParts;
    Bytes before = layer_.x, after = layer_.y;
    if (layer_.pass == Pass::bwd_data) std::swap(before, after);
    LaunchPlan& plan = kind.plan;
    if (layer_.weights()) {
      plan.add_before(layer_.x, layer_.x);
      plan.add_before(layer_.y, layer_.y);
      // Narrow results are summed in FP32 and converted, at once with their transpose.
      if (layer_.element < kSingle) {
        plan.add_after(layer_.w * (kSingle / layer_.element), layer_.w);
      } else if (!layer_.pointwise) {
        plan.add_after(layer_.w, layer_.w);
      }
    } else {
      plan.add_before(before, before);
      if (!layer_.pointwise && plan.move_count < LaunchPlan::kMostMoves - 1) plan.add_before(layer_.w, layer_.w);
      if (layer_.precision == DType::bf16) visit_converted_parts(kind, after);
      if (layer_.precision == DType::bf16 && options_.split_k.value_or(1) > 1) return;
      plan.add_after(after, after);
    }
    visit_kind(kind);
  }

  // Parts of a result in BF16 are summed by atomics in FP32 and converted before the transpose
  // (MakeImplGemmDynamicForwardXdlopsNHWCInvokerFactory() and its like in src/conv/invokers/impl_gemm_dynamic.cpp).
  // `kind` keeps what is not split.
  void visit_converted_parts(Kind& kind, Bytes result) {
    Kind parts = kind;
    LaunchPlan& plan = parts.plan;
    if (plan.move_count < LaunchPlan::kMostMoves - 1) plan.add_after(result * (kSingle / layer_.element), result);
    plan.add_after(result, result);
    parts.least_splits = 2;
    kind.most_splits = 1;
    if (options_.split_k.value_or(2) > 1) visit_kind(parts);
  }

  void visit_explicit() {
    if (layer_.pointwise && !layer_.padded) {
      if (layer_.unit_stride) return visit_batched();
      if (layer_.groups == 1 && !layer_.weights()) return visit_gathered();
    }
    visit_unfolded();
  }

  Kind blas_kind() const {
    const bool matrix = layer_.matrix;
    const double lanes = layer_.precision == DType::fp16 ? layer_.dot_lanes : layer_.lanes;
    Kind kind =
        kind_of(Algorithm::explicit_gemm,
                matrix ? MiopenConstant::blas_efficiency : MiopenConstant::blas_lane_efficiency, matrix ? 1 : lanes);
    kind.plan.main.miopen.blas = true;
    if (!matrix) kind.tiles = kLaneTiles;
    return kind;
  }

  // A convolution of one tap is a product for each image; gradients of filters add them up one after another.
  void visit_batched() {
    Kind kind = blas_kind();
    if (layer_.weights()) {
      kind.k = layer_.out;
      kind.plan.images = layer_.batch;
      set_memory(kind, (layer_.x + layer_.y) / layer_.batch, layer_.w * 2.0);
      kind.most_splits = kMostParts;
    } else {
      kind.m = layer_.out;
      if (layer_.groups > 1) {
        kind.plan.images = layer_.batch;
        set_memory(kind, kind.plan.main.dram_load / layer_.batch, kind.plan.main.dram_store / layer_.batch);
      } else {
        kind.count = layer_.batch;
      }
    }
    visit_kind(kind);
  }

  // With a stride the positions that count are copied together first, or apart afterwards.
  void visit_gathered() {
    Kind kind = blas_kind();
    kind.plan.main.miopen.kernels = 1;
    const Bytes inputs = layer_.x * (layer_.out / layer_.in);
    set_memory(kind, inputs + layer_.w, layer_.y);
    if (layer_.pass == Pass::bwd_data) {
      set_memory(kind, layer_.y + layer_.w, inputs);
      kind.plan.add_before(layer_.y, layer_.y);
      kind.plan.add_after(inputs, layer_.x * 2.0);
    } else {
      kind.plan.add_before(inputs, inputs);
      kind.plan.add_after(layer_.y, layer_.y);
    }
    visit_kind(kind);
  }

  // The windows of one image are copied into a matrix, or a matrix of them is added up; image after image.
  void visit_unfolded() {
    Kind kind = blas_kind();
    kind.plan.main.miopen.kernels = 1;
    const double images = layer_.batch;
    const Bytes windows = layer_.element * (layer_.in_channels * layer_.groups * layer_.taps * layer_.out);
    const Bytes inputs = layer_.x / images, outputs = layer_.y / images;
    kind.plan.images = images;
    switch (layer_.pass) {
      case Pass::fwd:
        kind.m = layer_.out;
        set_memory(kind, windows + layer_.w, outputs);
        kind.plan.add_before(inputs, windows);
        break;
      case Pass::bwd_data:
        set_product(kind, layer_.in_channels * layer_.taps, layer_.out, layer_.out_channels);
        set_memory(kind, outputs + layer_.w, windows);
        kind.plan.add_after(windows, inputs);
        break;
      case Pass::bwd_weight:
        kind.k = layer_.out;
        set_memory(kind, windows + outputs, layer_.w * 2.0);
        kind.plan.add_before(inputs, windows);
        kind.most_splits = kMostParts;
        break;
    }
    kind.plan.moves[0].unfolds = true;
    visit_kind(kind);
  }

  // One kernel on the lanes that transforms on the way, of tiles of 2x2 outputs and 3x3 taps, or 3x3 and 2x2; 16
  // products each. Larger filters and strides run as several.
  void visit_winograd() {
    if (!options_.tile && layer_.has_winograd()) {
      for (const WinogradTile& shape : layer_.winograd_tiles()) {
        Kind kind = kind_of(Algorithm::winograd, MiopenConstant::winograd_efficiency, layer_.packed_lanes);
        kind.plan.main.miopen.kernels = 1;
        constexpr double kSide = 4;  // 32 tiles, 32 filters: 16 products of 32x32, as many MACs as a tile of 128x128
        set_product(kind, shape.tiles * kSide, shape.filters * kSide, shape.depth);
        kind.row_loads = shape.inputs / kSide;
        kind.column_loads = shape.taps / kSide;
        static constexpr std::array kWinogradSides = {sides(128, 128)};
        kind.tiles = kWinogradSides;
        visit_kind(kind);
      }
    }
    if (layer_.has_transformed_weights()) visit_transformed();
  }

  // The gradient of 3x3 filters by F(3x3, m x m): transforms, (m + 2)^2 products, transform back.
  void visit_transformed() {
    constexpr double kTaps = 3, kMostOutputs = 6;
    for (double outputs = 2; outputs <= kMostOutputs; ++outputs) {
      const double points = square_of(outputs + kTaps - 1), tiles = layer_.winograd_outputs(outputs);
      Kind kind = kind_of(Algorithm::winograd_nonfused, MiopenConstant::transformed_efficiency,
                          layer_.matrix ? 1 : layer_.lanes);
      const Bytes input = layer_.element * (points * tiles * layer_.in_channels);
      const Bytes output = layer_.element * (points * tiles * layer_.out_channels);
      const Bytes filters = layer_.element * (points * layer_.in_channels * layer_.out_channels);
      set_product(kind, layer_.in_channels, layer_.out_channels, tiles);
      kind.count = points;
      set_memory(kind, input + output, filters);
      kind.plan.main.miopen.blas = true;
      kind.plan.add_before(layer_.x, input);
      kind.plan.add_before(layer_.y, output);
      kind.plan.add_after(filters, layer_.w);
      kind.most_splits = kMostParts;
      if (!layer_.matrix) kind.tiles = kLaneTiles;
      visit_kind(kind);
    }
  }
  static double square_of(double x) { return x * x; }

  // Gradients of filters of one tap: a CTA has a tile of the filters, and several waves with a part of the images each,
  // which add up their sums in the end. Operands go from the L2 to registers as they are; of a strided layer the inputs
  // that count are copied together first. Waves (n_part_cnt) and positions that the lanes of a wave hold sums for (64
  // lanes over the 16 of chunk_size x c_per_gpr) are those that PerformanceConfigConvAsmBwdWrW1x1::HeuristicInit has
  // for 32,768 filters and more (src/solver/conv/conv_asm_dir_BwdWrW1x1.cpp).
  void visit_pointwise_weights() {
    constexpr double kWaves = 4, kPositions = 4;
    Kind kind = kind_of(Algorithm::direct, MiopenConstant::pointwise_weight_efficiency, layer_.dot_lanes);
    kind.plan.main.miopen.kernels = 1;
    if (!layer_.unit_stride) {
      const Bytes inputs = layer_.x * (layer_.out / layer_.in);
      set_memory(kind, inputs + layer_.y, layer_.w);
      kind.plan.add_before(layer_.x_read, inputs);
    }
    kind.tiles = kWaveTiles;
    kind.partial_sums = kWaves * kPositions;
    visit_kind(kind);
  }

  void visit_direct() {
    if (layer_.has_pointwise_weights()) visit_pointwise_weights();
    if (!layer_.has_direct()) return;
    const MiopenConstant efficiency =
        layer_.weights() ? MiopenConstant::direct_weight_efficiency : MiopenConstant::direct_efficiency;
    const double share = layer_.weights() ? layer_.single_lanes : layer_.lanes;
    Kind kind = kind_of(Algorithm::direct, efficiency, share);
    kind.plan.main.miopen.kernels = 1;
    if (layer_.weights()) {
      make_planar(kind);
    } else {
      if (layer_.pass == Pass::bwd_data) {
        kind.m *= layer_.classes;
        set_memory(kind, layer_.y + layer_.w, layer_.x);
      }
      // What a CTA's results need of the images lies in its memory: no tap loads it again.
      const double maps = layer_.pass == Pass::fwd ? layer_.in / layer_.out : layer_.out / layer_.in;
      kind.row_loads = std::min(1.0, maps / (layer_.pass == Pass::fwd ? layer_.taps : layer_.class_taps));
    }
    kind.plan.main.miopen.direct = true;
    kind.tiles =
        layer_.weights() ? std::span<const Tile>(kDirectWeightTiles) : std::span<const Tile>(kMiopenDirectTiles);
    kind.most_splits = layer_.weights() ? kMostParts : 1;
    kind.clips = !layer_.weights();
    visit_kind(kind);
  }

  void visit_kind(Kind& kind) {
    Launch::Product& product = kind.plan.main.product;
    product.m = kind.m;
    product.n = kind.n;
    product.k = kind.k;
    product.batch = kind.count * kind.plan.main.miopen.kernels;
    visited_ = true;
    if (visit_.least(kind.plan) >= limit_) return;  // whatever its tile
    const bool fits = !options_.tile || std::any_of(kind.tiles.begin(), kind.tiles.end(), [&](const Tile& tile) {
      return tile.m == options_.tile->m && tile.n == options_.tile->n;
    });
    for (const Tile& tile : kind.tiles) {
      if (options_.tile && fits ? tile.m != options_.tile->m || tile.n != options_.tile->n
                                : is_wasteful(tile, kind.tiles, kind.m, kind.n)) {
        continue;
      }
      if (kind.exact && !options_.tile && (std::fmod(kind.m, tile.m) != 0 || std::fmod(kind.n, tile.n) != 0)) continue;
      visit_tile(kind, tile);
    }
  }

  // In the order of the tiles: several take the same time, and the first of them counts.
  void visit_tile(Kind& kind, const Tile& tile) {
    const MiopenGrid grid = set_tile(kind, tile);
    const TileLeast least = visit_.tile_least(kind.plan, layer_.element * grid.loaded);
    each_split(kind, grid, [&](double split) {
      if (least.at(grid.ctas * split, steps_of(kind, split), split, limit_) >= limit_) return;
      set_split(kind, grid, split);
      limit_ = visit_(kind.plan);
    });
  }

  MiopenGrid set_tile(Kind& kind, const Tile& tile) const {
    kind.plan.tile = tile;
    if (kind.clips) kind.plan.tile.n = std::min(tile.n, static_cast<int>(kind.n));
    Launch& launch = kind.plan.main;
    Launch::Product& product = launch.product;
    product.tile_m = tile.m;
    product.tile_n = kind.plan.tile.n;
    product.tile_k = tile.k;
    launch.macs_per_step = product.tile_m * product.tile_n;
    launch.resident = options_.active_ctas_per_sm
                          ? *options_.active_ctas_per_sm
                          : resident_by_sums(kind.partial_sums * launch.macs_per_step, layer_.cu);
    return {kind.row_loads * std::min<double>(tile.m, kind.m) + kind.column_loads * std::min<double>(tile.n, kind.n),
            std::ceil(kind.m / tile.m) * std::ceil(kind.n / tile.n) * product.batch};
  }

  // Calls `add` with the splits of a grid that are worth a look.
  template <class Add>
  void each_split(const Kind& kind, const MiopenGrid& grid, const Add& add) const {
    if (options_.split_k) return add(*options_.split_k);
    if (kind.least_splits == 1) add(1);
    for (double split = 2; split <= kind.most_splits; split *= 2) {
      if (grid.ctas * split > kMostSplitGrid * layer_.cus || kind.k < kLeastPartDepth * split) break;
      add(split);
    }
  }

  static double steps_of(const Kind& kind, double split) {
    const double depth = kind.plan.tile.k;
    return std::ceil(std::ceil(kind.k / split) / depth) * depth;
  }

  void set_split(Kind& kind, const MiopenGrid& grid, double split) const {
    LaunchPlan& plan = kind.plan;
    Launch& launch = plan.main;
    plan.split_k = launch.product.split = split;
    launch.ctas = grid.ctas * split;
    launch.steps = steps_of(kind, split);
    launch.l2_load = std::max(kind.operands, layer_.element * (launch.ctas * launch.steps * grid.loaded));
  }

  static constexpr Bytes kSingle{4};

  const MiopenLayer& layer_;
  const PlanOptions& options_;
  const VisitPlan& visit_;
  Seconds limit_ = kNoLimit;
  bool visited_ = false;
};

}  // namespace

void each_miopen_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit) {
  const MiopenLayer layer = miopen_layer(op, gpu);
  MiopenPlans plans(layer, options, visit);
  // Under the name of direct MIOpen has too many kinds for the name to tell which ran.
  const bool tells = options.algorithm && *options.algorithm != name_of(Algorithm::direct);
  if (tells && plans.visit(*options.algorithm)) return;
  plans.visit(std::nullopt);
}

}  // namespace rooftile
