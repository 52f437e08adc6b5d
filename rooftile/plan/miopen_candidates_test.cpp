#include "rooftile/plan/miopen_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/plan/miopen_layer.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

struct Size {
  std::int64_t batch = 32, in = 64, out = 128, map = 14, filter = 3, stride = 1, groups = 1;
};

OpShape miopen_shape(const Size& size, Pass pass, DType precision = DType::fp32) {
  Conv conv;
  conv.batch = size.batch;
  conv.in_channels = size.in;
  conv.out_channels = size.out;
  conv.groups = size.groups;
  const ConvAxis axis{.in = size.map,
                      .filter = size.filter,
                      .stride = size.stride,
                      .pad_begin = size.filter / 2,
                      .pad_end = size.filter / 2};
  conv.axes[1] = conv.axes[2] = axis;
  return {.gemm = im2col(conv),
          .pass = pass,
          .element = size_of(precision),
          .family = KernelFamily::conv_miopen,
          .precision = precision};
}

std::vector<LaunchPlan> miopen_plans(const OpShape& shape, std::string_view gpu, const PlanOptions& options = {}) {
  std::vector<LaunchPlan> plans;
  each_miopen_plan(shape, *find_gpu(gpu), options, [&](const LaunchPlan& plan) { plans.push_back(plan); });
  return plans;
}

bool has(const std::vector<LaunchPlan>& plans, Algorithm algorithm) {
  return std::any_of(plans.begin(), plans.end(), [&](const LaunchPlan& plan) { return plan.algorithm == algorithm; });
}

bool on_matrix_cores(const LaunchPlan& plan) {
  return plan.main.miopen.efficiency == MiopenConstant::matrix_efficiency;
}
// Between transposes.
bool in_channels_last(const LaunchPlan& plan) { return on_matrix_cores(plan) && plan.move_count >= 2; }
bool in_planes(const LaunchPlan& plan) { return on_matrix_cores(plan) && plan.main.miopen.gathers(); }

template <class Which>
bool any(const std::vector<LaunchPlan>& plans, const Which& which) {
  return std::any_of(plans.begin(), plans.end(), which);
}

TEST(MiopenPlan, OnlyCdnaHasMatrixCores) {
  const OpShape shape = miopen_shape({}, Pass::fwd);
  EXPECT_TRUE(any(miopen_plans(shape, "mi100"), on_matrix_cores));
  EXPECT_FALSE(any(miopen_plans(shape, "mi50"), on_matrix_cores));
  EXPECT_FALSE(any(miopen_plans(shape, "rx-6900-xt"), on_matrix_cores));
}

TEST(MiopenPlan, Bf16OfCdna1StaysInPlanes) {
  const OpShape shape = miopen_shape({}, Pass::fwd, DType::bf16);
  EXPECT_FALSE(any(miopen_plans(shape, "mi100"), in_channels_last));
  EXPECT_TRUE(any(miopen_plans(shape, "mi210"), in_channels_last));
  EXPECT_FALSE(any(miopen_plans(miopen_shape({.groups = 2}, Pass::fwd), "mi210"), in_channels_last));
}

TEST(MiopenPlan, Bf16PartsInChannelsLastAreConverted) {
  const auto moves = [](DType precision, bool splits) {
    std::size_t most = 0;
    for (const LaunchPlan& plan : miopen_plans(miopen_shape({.batch = 1}, Pass::fwd, precision), "mi210")) {
      if (in_channels_last(plan) && (plan.split_k > 1) == splits) most = std::max(most, plan.move_count);
    }
    return most;
  };
  EXPECT_EQ(moves(DType::bf16, false), 3);
  EXPECT_EQ(moves(DType::bf16, true), 4);
  EXPECT_EQ(moves(DType::fp16, true), 3);
}

TEST(MiopenPlan, Bf16DataGradientsInPlanesAreNotPadded) {
  EXPECT_TRUE(any(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::bf16), "mi100"), in_planes));
  // 25 positions of 3 images are no multiple of 16.
  EXPECT_FALSE(
      any(miopen_plans(miopen_shape({.batch = 3, .map = 5}, Pass::bwd_data, DType::bf16), "mi100"), in_planes));
  EXPECT_TRUE(any(miopen_plans(miopen_shape({.batch = 3, .map = 5}, Pass::bwd_data), "mi100"), in_planes));
  EXPECT_FALSE(any(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::bf16), "mi210"), in_planes));
}

// 120 channels are no multiple of 16, the least side of a tile.
TEST(MiopenPlan, TilesOfBf16DataGradientsInPlanesComeOutEven) {
  const OpShape shape = miopen_shape({.batch = 4, .in = 96, .map = 16}, Pass::bwd_data, DType::bf16);
  std::size_t planes = 0;
  for (const LaunchPlan& plan : miopen_plans(shape, "mi100")) {
    if (!in_planes(plan)) continue;
    ++planes;
    EXPECT_EQ(std::fmod(plan.main.product.m, plan.tile.m), 0);
    EXPECT_EQ(96 % plan.tile.n, 0);
  }
  EXPECT_GT(planes, 0);
  const OpShape odd = miopen_shape({.batch = 4, .in = 120, .map = 16}, Pass::bwd_data, DType::bf16);
  EXPECT_FALSE(any(miopen_plans(odd, "mi100"), in_planes));
}

// Filters of one tap take what lies side by side, whole loads of 16 bytes at most; larger ones pad their rows.
TEST(MiopenPlan, LoadsInPlanesAreAsWideAsRowsAllow) {
  const auto loads = [](const Size& size, Pass pass, DType precision) {
    const MiopenLayer layer = miopen_layer(miopen_shape(size, pass, precision), *find_gpu("mi100"));
    return std::pair(layer.row_vector(), layer.column_vector());
  };
  EXPECT_EQ(loads({.filter = 1}, Pass::fwd, DType::fp32), std::pair(4.0, 4.0));
  EXPECT_EQ(loads({.filter = 1}, Pass::fwd, DType::fp16), std::pair(4.0, 8.0));
  EXPECT_EQ(loads({.map = 7, .filter = 1}, Pass::fwd, DType::fp16), std::pair(1.0, 8.0));
  EXPECT_EQ(loads({.filter = 1, .stride = 2}, Pass::fwd, DType::fp16), std::pair(1.0, 8.0));
  EXPECT_EQ(loads({}, Pass::fwd, DType::fp16), std::pair(1.0, 8.0));
  EXPECT_EQ(loads({}, Pass::bwd_data, DType::bf16), std::pair(1.0, 1.0));
  EXPECT_EQ(loads({.filter = 1}, Pass::bwd_data, DType::bf16), std::pair(4.0, 8.0));
  EXPECT_EQ(loads({.filter = 1}, Pass::bwd_data, DType::fp32), std::pair(2.0, 2.0));
  EXPECT_EQ(loads({}, Pass::bwd_weight, DType::bf16), std::pair(1.0, 4.0));
}

TEST(MiopenPlan, DirectKernelsTakeNoMoreFiltersThanThereAre) {
  PlanOptions options;
  options.algorithm = "direct";
  std::size_t direct = 0;
  for (const LaunchPlan& plan : miopen_plans(miopen_shape({.out = 64, .groups = 64}, Pass::fwd), "mi100", options)) {
    if (plan.algorithm != Algorithm::direct) continue;
    ++direct;
    EXPECT_EQ(plan.main.macs_per_step, plan.tile.m);
    // No tap loads an image again: nine steps of k load a ninth of it each, and the filter.
    EXPECT_NEAR(plan.main.l2_load.value() / (plan.main.ctas * 4 * plan.main.steps), plan.tile.m / 9.0 + 1, 1e-9);
  }
  EXPECT_GT(direct, 0);
}

// What a strided gradient stores, a direct kernel stores at once.
TEST(MiopenPlan, DirectKernelsStoreWholeLines) {
  const OpShape shape = miopen_shape({.in = 3, .stride = 2}, Pass::bwd_data);
  const MiopenLayer layer = miopen_layer(shape, *find_gpu("mi100"));
  std::size_t direct = 0;
  for (const LaunchPlan& plan : miopen_plans(shape, "mi100")) {
    if (plan.algorithm != Algorithm::direct) continue;
    ++direct;
    EXPECT_EQ(plan.main.dram_load, layer.y + layer.w);
    EXPECT_EQ(plan.main.dram_store, layer.x);
  }
  EXPECT_GT(direct, 0);
}

TEST(MiopenPlan, WinogradTakesNoBf16NorFp16GradientsOfCdna2) {
  EXPECT_TRUE(has(miopen_plans(miopen_shape({}, Pass::bwd_data), "mi210"), Algorithm::winograd));
  EXPECT_TRUE(has(miopen_plans(miopen_shape({}, Pass::fwd, DType::fp16), "mi210"), Algorithm::winograd));
  EXPECT_FALSE(has(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::fp16), "mi210"), Algorithm::winograd));
  EXPECT_TRUE(has(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::fp16), "mi100"), Algorithm::winograd));
  EXPECT_FALSE(has(miopen_plans(miopen_shape({}, Pass::fwd, DType::bf16), "mi100"), Algorithm::winograd));
}

TEST(MiopenPlan, WinogradCountsSixteenProductsOfATile) {
  // 7x7 tiles of 2x2 outputs in 32 images; a 3x3 filter is one piece: 64 channels deep.
  const MiopenLayer layer = miopen_layer(miopen_shape({}, Pass::fwd), *find_gpu("mi100"));
  const WinogradTile tile = layer.winograd_tiles().front();
  EXPECT_EQ(tile.tiles, 49 * 32);
  EXPECT_EQ(tile.filters, 128);
  EXPECT_EQ(tile.depth, 64);
  // The filter as it is in memory, and what a tile does not share with its neighbours.
  EXPECT_EQ(tile.taps, 9);
  EXPECT_EQ(tile.inputs, 4);
  // Of 3x3 outputs and 2x2 taps: four pieces of a filter.
  EXPECT_EQ(layer.winograd_tiles().back().taps, 9.0 / 4);
  EXPECT_EQ(layer.winograd_tiles().back().inputs, 9);
}

// Three pieces along the height, two pairs along the width.
TEST(MiopenPlan, WinogradTakesTheWidthOfLargeFiltersInPairs) {
  const MiopenLayer layer = miopen_layer(miopen_shape({.filter = 7}, Pass::fwd), *find_gpu("mi100"));
  EXPECT_EQ(layer.winograd_tiles().front().depth, 64 * 3 * 4);
  const MiopenLayer small = miopen_layer(miopen_shape({.filter = 5}, Pass::fwd), *find_gpu("mi100"));
  EXPECT_EQ(small.winograd_tiles().front().depth, 64 * 2 * 2);
}

// Every other element of a line is wanted, and all of the line is loaded, by each column of tiles.
TEST(MiopenPlan, AStrideLoadsWholeLines) {
  const OpShape shape = miopen_shape({.filter = 1, .stride = 2}, Pass::fwd);
  const MiopenLayer layer = miopen_layer(shape, *find_gpu("mi50"));
  EXPECT_EQ(layer.line_loads, 2);
  EXPECT_EQ(layer.x_read, layer.x / 2);
  EXPECT_EQ(layer.x_met, layer.x / 4);
  PlanOptions options;
  options.algorithm = "implicit_gemm";
  for (const LaunchPlan& plan : miopen_plans(shape, "mi50", options)) {
    const double columns = std::ceil(plan.main.product.n / plan.tile.n);
    EXPECT_GE(plan.main.l2_load, layer.x_read * columns);
  }
}

TEST(MiopenPlan, AStrideMakesAKernelForEachClassOfInputs) {
  const MiopenLayer layer = miopen_layer(miopen_shape({.stride = 2}, Pass::bwd_data), *find_gpu("mi100"));
  EXPECT_EQ(layer.classes, 4);
  EXPECT_EQ(layer.class_in, 7 * 7);
  EXPECT_EQ(layer.class_taps, 4);
  EXPECT_FALSE(layer.misses_inputs);
  const MiopenLayer pointwise =
      miopen_layer(miopen_shape({.filter = 1, .stride = 2}, Pass::bwd_data), *find_gpu("mi100"));
  EXPECT_EQ(pointwise.classes, 1);
  EXPECT_TRUE(pointwise.misses_inputs);
}

TEST(MiopenPlan, UnfoldsImageAfterImage) {
  PlanOptions options;
  options.algorithm = "explicit_gemm";
  for (const LaunchPlan& plan : miopen_plans(miopen_shape({}, Pass::fwd), "mi100", options)) {
    EXPECT_EQ(plan.images, 32);
    EXPECT_TRUE(plan.unfolds());
    EXPECT_EQ(plan.moves[0].store, Bytes(4.0 * 64 * 9 * 14 * 14));
    EXPECT_EQ(plan.launches(), 64);
  }
  // One tap: a batched product.
  for (const LaunchPlan& plan : miopen_plans(miopen_shape({.filter = 1}, Pass::fwd), "mi100", options)) {
    EXPECT_EQ(plan.images, 1);
    EXPECT_EQ(plan.main.product.batch, 32);
  }
  // With groups, a batch of them for each image.
  const OpShape grouped = miopen_shape({.filter = 1, .groups = 4}, Pass::bwd_data);
  for (const LaunchPlan& plan : miopen_plans(grouped, "mi100", options)) {
    EXPECT_EQ(plan.images, 32);
    EXPECT_EQ(plan.main.product.batch, 4);
    EXPECT_EQ(plan.main.dram_store, Bytes(4.0 * 64 * 14 * 14));
  }
}

TEST(MiopenPlan, AnAlgorithmThatIsNotThereLeavesAll) {
  PlanOptions options;
  options.algorithm = "winograd";
  EXPECT_FALSE(has(miopen_plans(miopen_shape({}, Pass::fwd), "mi100", options), Algorithm::implicit_gemm));
  EXPECT_TRUE(has(miopen_plans(miopen_shape({.filter = 1}, Pass::fwd), "mi100", options), Algorithm::implicit_gemm));
}

TEST(MiopenPlan, GradientsOfFiltersOfOneTapHaveAKernelOfTheirOwnUpToCdna2) {
  const auto is_assembled = [](const LaunchPlan& plan) {
    return plan.main.miopen.efficiency == MiopenConstant::pointwise_weight_efficiency;
  };
  const OpShape shape = miopen_shape({.filter = 1}, Pass::bwd_weight, DType::fp16);
  for (const std::string_view gpu : {"vega-frontier-edition", "mi50", "mi100", "mi210"}) {
    EXPECT_TRUE(any(miopen_plans(shape, gpu), is_assembled)) << gpu;
  }
  EXPECT_FALSE(any(miopen_plans(shape, "mi300x"), is_assembled));
  EXPECT_FALSE(any(miopen_plans(shape, "rx-6900-xt"), is_assembled));
  EXPECT_FALSE(any(miopen_plans(miopen_shape({}, Pass::bwd_weight), "mi50"), is_assembled));
  EXPECT_FALSE(any(miopen_plans(miopen_shape({.filter = 1, .groups = 2}, Pass::bwd_weight), "mi50"), is_assembled));
  EXPECT_FALSE(any(miopen_plans(miopen_shape({.filter = 1, .stride = 4}, Pass::bwd_weight), "mi50"), is_assembled));
}

// Waves of a CTA share the images; no other CTA does.
TEST(MiopenPlan, GradientsOfFiltersOfOneTapDoNotSplitBeyondACta) {
  const OpShape shape = miopen_shape({.filter = 1, .stride = 2}, Pass::bwd_weight, DType::fp16);
  double plans = 0;
  for (const LaunchPlan& plan : miopen_plans(shape, "mi50")) {
    if (plan.main.miopen.efficiency != MiopenConstant::pointwise_weight_efficiency) continue;
    EXPECT_EQ(plan.split_k, 1);
    EXPECT_EQ(plan.move_count, 1);              // the inputs that count, side by side
    EXPECT_EQ(plan.main.miopen.peak_share, 1);  // two products in one instruction: the rate of packed FP16
    plans += 1;
  }
  EXPECT_GT(plans, 0);
}

TEST(MiopenPlan, OnlyVega20AndLaterAddUpTwoProductsAtOnce) {
  const OpShape shape = miopen_shape({.filter = 1}, Pass::bwd_weight, DType::fp16);
  EXPECT_EQ(miopen_layer(shape, *find_gpu("mi50")).dot_lanes, 1);
  EXPECT_NEAR(miopen_layer(shape, *find_gpu("vega-frontier-edition")).dot_lanes, 0.5, 0.01);
}

TEST(MiopenPlan, Bf16DataGradientsHaveNoProductOnTheLanes) {
  EXPECT_FALSE(has(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::bf16), "mi50"), Algorithm::implicit_gemm));
  EXPECT_TRUE(has(miopen_plans(miopen_shape({}, Pass::bwd_data, DType::fp16), "mi50"), Algorithm::implicit_gemm));
  EXPECT_TRUE(has(miopen_plans(miopen_shape({}, Pass::fwd, DType::bf16), "mi50"), Algorithm::implicit_gemm));
}

// Each input of a filter as large as the map has one tap: the gradient multiplies no more than the forward pass.
TEST(MiopenPlan, TheGradientOfOneOutputIsAPlainProduct) {
  Conv conv{.batch = 128, .in_channels = 512, .out_channels = 4096};
  conv.axes[1] = conv.axes[2] = {.in = 7, .filter = 7};
  const OpShape shape = {
      .gemm = im2col(conv), .pass = Pass::bwd_data, .element = Bytes(4), .family = KernelFamily::conv_miopen};
  const auto is_plain = [&](const LaunchPlan& plan) {
    const Launch& launch = plan.main;
    return launch.miopen.kernels == 1 && launch.ctas * launch.macs_per_step * launch.steps <= 1.1 * macs(conv);
  };
  EXPECT_TRUE(any(miopen_plans(shape, "mi100"), is_plain));
}

}  // namespace
}  // namespace rooftile
