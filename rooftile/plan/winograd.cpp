#include "rooftile/plan/winograd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "rooftile/plan/gemm_shape.hpp"
#include "rooftile/plan/planes.hpp"

namespace rooftile {
namespace {

constexpr double kOutputs = 4;  // per axis of the tile of the unfused form

// How one CTA's 32 tiles of 2x2 lie: samples, output rows, output columns. Read off the grids of measured kernels.
struct Cover {
  double samples, rows, columns;
};
constexpr std::array kCovers = {Cover{1, 8, 16}, Cover{2, 8, 8},  Cover{4, 2, 16},
                                Cover{4, 4, 8},  Cover{2, 4, 16}, Cover{4, 8, 4}};

// Main-loop kernels of the unfused form, by the product's rows (tiles) and columns (filters).
struct BatchedTile {
  double m, n, warps, resident;
};
constexpr std::array kBatchedTiles = {BatchedTile{128, 64, 4, 4}, BatchedTile{64, 64, 2, 8}, BatchedTile{32, 128, 8, 2},
                                      BatchedTile{128, 128, 8, 2}};
// Of cuDNN 9 on Hopper (data/measurements/h100-sxm5-80gb/layers/conv.csv).
constexpr std::array kLaterBatchedTiles = {BatchedTile{64, 64, 4, 4}, BatchedTile{32, 32, 2, 11}};

}  // namespace

bool has_winograd(const OpShape& op) {
  const Im2col& gemm = op.gemm;
  const bool square = gemm.filter[1] == gemm.filter[2] && (gemm.filter[1] == 3 || gemm.filter[1] == 5);
  return square && has_unit_planes(gemm);
}

bool has_fused_winograd(const OpShape& op) { return op.gemm.filter[1] == 3 && op.pass != Pass::bwd_weight; }

LaunchPlan fused_winograd(const OpShape& op) {
  constexpr double kFilters = 32, kMacs = 16.0 * 32 * 32, kWarps = 8, kPositions = 16;
  constexpr double kInputsPerChannel = 205;  // 32 tiles of 4x4 that share borders: 10 x 18 with sector rounding
  const Planes planes = planes_of(op);
  double ctas = INFINITY;
  for (const Cover& cover : kCovers) {
    ctas = std::min(ctas, std::ceil(planes.batch / cover.samples) * std::ceil(planes.height / cover.rows) *
                              std::ceil(planes.width / cover.columns));
  }
  const Bytes filters = op.element * (planes.in_channels * planes.out_channels);
  LaunchPlan plan;
  plan.algorithm = Algorithm::winograd;
  plan.tile = {128, 128, 8};
  if (!op.engine) plan.add_before(filters * (planes.filter_height * planes.filter_height), filters * kPositions);
  Launch& gemm = plan.main;
  gemm.ctas = ctas * std::ceil(planes.out_channels / kFilters);
  gemm.macs_per_step = kMacs;
  gemm.steps = std::ceil(planes.in_channels / 8) * 8;
  gemm.warps = kWarps;
  gemm.resident = 1;
  gemm.efficiency = ConvConstant::winograd_efficiency;
  gemm.prologue = ConvConstant::winograd_prologue;
  gemm.l2_load = op.element * (gemm.ctas * gemm.steps * (kInputsPerChannel + kPositions * kFilters));
  gemm.dram_load = input_bytes(planes) + op.element * (kPositions * planes.in_channels * planes.out_channels);
  gemm.l2_store = gemm.dram_store = output_bytes(planes);
  gemm.aligned_store = fills_sectors(planes.out, planes.element);
  return plan;
}

void each_nonfused_winograd(const OpShape& op, bool later, const VisitPlan& visit) {
  const Planes planes = planes_of(op);
  const double points = (kOutputs + planes.filter_height - 1) * (kOutputs + planes.filter_height - 1);
  const double tiles = planes.batch * std::ceil(planes.height / kOutputs) * std::ceil(planes.width / kOutputs);
  const Bytes input = op.element * (points * tiles * planes.in_channels);
  const Bytes output = op.element * (points * tiles * planes.out_channels);
  const Bytes filters = op.element * (points * planes.in_channels * planes.out_channels);
  const Bytes plain_filters =
      op.element * (planes.filter_height * planes.filter_height * planes.in_channels * planes.out_channels);
  const bool weights = op.pass == Pass::bwd_weight;
  // Rows, columns and depth of each product; the gradient of the filters sums over the tiles.
  const double m = weights ? planes.in_channels : tiles, k = weights ? tiles : planes.in_channels;

  const Bytes product = weights ? filters : output;

  LaunchPlan plan;
  plan.algorithm = Algorithm::winograd_nonfused;
  plan.add_before(input_bytes(planes), input);
  if (weights) {
    plan.add_before(output_bytes(planes), output);
    plan.add_after(filters, plain_filters);
  } else {
    plan.add_before(plain_filters, filters);
    plan.add_after(output, output_bytes(planes));
  }
  Launch& gemm = plan.main;
  gemm.steps = std::ceil(k / 8) * 8;
  gemm.efficiency = ConvConstant::batched_efficiency;
  gemm.prologue = ConvConstant::winograd_prologue;
  gemm.gradient = weights;
  gemm.dram_load = input + (weights ? output : filters);
  gemm.l2_store = gemm.dram_store = product;
  const auto tiles_of = [](const auto& list) { return std::span<const BatchedTile>(list); };
  for (const BatchedTile& tile : later ? tiles_of(kLaterBatchedTiles) : tiles_of(kBatchedTiles)) {
    plan.tile = {static_cast<int>(tile.m), static_cast<int>(tile.n), 8};
    gemm.ctas = points * std::ceil(m / tile.m) * std::ceil(planes.out_channels / tile.n);
    gemm.macs_per_step = tile.m * tile.n;
    gemm.warps = tile.warps;
    gemm.resident = tile.resident;
    gemm.l2_load = op.element * (gemm.ctas * gemm.steps * (tile.m + tile.n));
    visit(plan);
  }
}

}  // namespace rooftile
