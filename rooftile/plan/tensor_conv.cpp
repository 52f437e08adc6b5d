#include "rooftile/plan/tensor_conv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "rooftile/base/rounded.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/ops/conv_groups.hpp"
#include "rooftile/plan/best_first.hpp"
#include "rooftile/plan/gemm_shape.hpp"
#include "rooftile/plan/kernel_name.hpp"
#include "rooftile/plan/narrow_loads.hpp"
#include "rooftile/plan/resident_sums.hpp"
#include "rooftile/plan/wasteful_tile.hpp"

namespace rooftile {
namespace {

constexpr int kConvDepth = 32;     // of a step of the main loop
constexpr double kLoadBytes = 16;  // of one load of a thread: channels come in multiples of it

// Of cuDNN 7 for Volta, by pass: data gradients have no narrow tiles, so that small maps leave SMs idle.
constexpr std::array kVoltaForward = {Tile{64, 64, kConvDepth}, Tile{128, 64, kConvDepth}, Tile{256, 64, kConvDepth},
                                      Tile{128, 128, kConvDepth}, Tile{256, 128, kConvDepth}};
constexpr std::array kVoltaData = {Tile{256, 64, kConvDepth}, Tile{128, 128, kConvDepth}, Tile{256, 128, kConvDepth}};
constexpr std::array kVoltaWeight = {Tile{64, 64, kConvDepth},   Tile{64, 128, kConvDepth},
                                     Tile{128, 64, kConvDepth},  Tile{128, 128, kConvDepth},
                                     Tile{128, 256, kConvDepth}, Tile{256, 128, kConvDepth}};
// Of CUTLASS 2 and cuDNN 8.
constexpr std::array kLaterTiles = {Tile{64, 32, kConvDepth},  Tile{64, 64, kConvDepth},   Tile{128, 64, kConvDepth},
                                    Tile{64, 128, kConvDepth}, Tile{128, 128, kConvDepth}, Tile{256, 64, kConvDepth},
                                    Tile{64, 256, kConvDepth}, Tile{256, 128, kConvDepth}, Tile{128, 256, kConvDepth}};
constexpr std::array kConvSplits = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
constexpr auto kConvSplitsUpTo = counts_up_to<kConvSplits>();
constexpr SplitCounts kConvSplitCounts(kConvSplits, kConvSplitsUpTo);
constexpr double kLeastConvSplitLoops = 4;  // of the main loop that a CTA keeps
constexpr double kMostConvSplitCtas = 8;    // an SM: a grid that large has no use for a split

std::span<const Tile> tiles_of(const Gpu& gpu, Pass pass) {
  if (!is_volta_or_turing(gpu)) return kLaterTiles;
  if (pass == Pass::fwd) return kVoltaForward;
  return pass == Pass::bwd_data ? std::span<const Tile>(kVoltaData) : std::span<const Tile>(kVoltaWeight);
}

double product_of(const std::array<double, 3>& axes) { return axes[0] * axes[1] * axes[2]; }

double multiple(double count, double of) { return std::ceil(count / of) * of; }

// What differs between libraries.
struct LibraryRules {
  double few_channels = 0;        // to whose multiples the input's are filled up; 0: to whole loads
  bool packs_taps = true;         // one step of k takes several taps of few channels, each of whole loads
  bool writes_offsets = false;    // another kernel writes where the taps of each row lie
  bool converts_filters = false;  // before every product, not once
};

// An engine prepares what it can when it is built, has packed kernels of its own, and keeps a first layer in INT8 in
// TensorRT's format CHW4. cuDNN's packed kernels for tensor cores came after Volta and read FP16 and TF32, not BF16 (on
// an H100 the first layer of ResNet-50 takes 3.1 times as long in BF16 as in FP16).
LibraryRules library_rules(const OpShape& op, const Gpu& gpu) {
  constexpr double kFewChannels = 4;
  const bool several_taps = op.gemm.filter_volume > 1;
  if (op.engine) {
    const bool first = op.element == size_of(DType::int8) && op.gemm.in_channels <= kFewChannels && several_taps;
    return {.few_channels = first ? kFewChannels : 0};
  }
  const bool early = is_volta_or_turing(gpu);
  return {.packs_taps = !early && op.precision != DType::bf16,
          .writes_offsets = early && several_taps,
          .converts_filters = true};
}

// A convolution's operands as the kernel takes them, and the product over them.
struct Problem {
  const OpShape& op;
  const Gpu& gpu;
  const PlanOptions& options;
  GemmShape shape;  // its sizes without padding
  LibraryRules rules;
  double rows = 1, columns = 1, depth = 1;  // padded
  double main_loop = 1;                     // steps of it without a split
  double results = 1;                       // elements that are stored

  const Im2col& forward() const { return op.gemm; }
  double load_channels() const { return kLoadBytes / op.element.value(); }
  double input_load() const { return rules.few_channels > 0 ? rules.few_channels : load_channels(); }

  // Elements of maps and filters with their channels filled up to whole loads.
  double input() const {
    const Im2col& gemm = forward();
    return gemm.groups * gemm.batch * multiple(gemm.in_channels, input_load()) * product_of(gemm.touched);
  }
  double output() const {
    const Im2col& gemm = forward();
    return gemm.groups * gemm.batch * multiple(gemm.out_channels, load_channels()) * product_of(gemm.out);
  }
  double filters() const {
    const Im2col& gemm = forward();
    return gemm.groups * gemm.out_channels * multiple(gemm.in_channels, input_load()) * gemm.filter_volume;
  }
};

// Neither cuDNN's weight gradients of a first layer with large filters nor gradients whose padding is as large as the
// filter run on Volta's tensor cores.
bool runs_on_lanes(const Problem& problem) {
  const Im2col& gemm = problem.forward();
  if (!is_volta_or_turing(problem.gpu) || problem.op.pass == Pass::fwd) return false;
  for (std::size_t i = 0; i < gemm.pad.size(); ++i) {
    if (gemm.pad[i] >= gemm.extent[i]) return true;
  }
  constexpr double kLargeFilter = 9;
  return problem.op.pass == Pass::bwd_weight && gemm.in_channels <= problem.load_channels() &&
         gemm.filter_volume > kLargeFilter;
}

// A group that shares no tile with others is a product of its own, for which there are only tiles of whole width: of
// gradients, and of maps with contiguous channels. They take one tap in a step of k.
bool takes_whole_tiles(const Problem& problem) {
  const Im2col& gemm = problem.forward();
  const bool several = gemm.groups > 1 && gemm.in_channels > 1 && problem.op.family == KernelFamily::conv_tensor;
  if (!several || is_volta_or_turing(problem.gpu) || (problem.op.pass == Pass::fwd && !problem.op.nhwc)) return false;
  return !shares_tiles(gemm.groups, gemm.in_channels, gemm.out_channels, problem.op.pass);
}

// Kernels for the lanes need no whole steps.
double tap_depth(double channels, const Problem& problem) {
  if (problem.rules.few_channels > 0) return multiple(channels, problem.rules.few_channels);
  const bool packs_taps = channels < kConvDepth && problem.rules.packs_taps && !takes_whole_tiles(problem);
  const bool packs = runs_on_lanes(problem) || packs_taps;
  return multiple(channels, packs ? problem.load_channels() : kConvDepth);
}

bool is_strided_pointwise(const Im2col& gemm) { return gemm.filter_volume == 1 && product_of(gemm.stride) > 1; }

// Taps that a data gradient visits for each input position: with a stride of s along an axis one in s meets an output.
// cuDNN 7 skips the others along one axis only.
double visited_taps(const Problem& problem) {
  const Im2col& gemm = problem.forward();
  double skipped = 1;
  for (std::size_t i = 0; i < gemm.stride.size(); ++i) {
    const double here = std::min(gemm.stride[i], gemm.filter[i]);
    skipped = is_volta_or_turing(problem.gpu) ? std::max(skipped, here) : skipped * here;
  }
  return gemm.filter_volume / skipped;
}

// Of a single output each input has one tap: its data gradient is the product of the outputs' gradient with the filters
// as they are, all inputs of a sample one row, where the gathering kernel would multiply every tap of every input.
bool is_single_output(const Problem& problem) {
  const Im2col& gemm = problem.forward();
  return problem.op.pass == Pass::bwd_data && product_of(gemm.out) == 1 && gemm.filter_volume > 1;
}

void set_single_output(Problem& problem) {
  const Im2col& gemm = problem.forward();
  GemmShape& shape = problem.shape;
  problem.results = shape.m * shape.n * shape.count;
  shape.m = gemm.batch;
  shape.n = gemm.in_channels * gemm.filter_volume;
  shape.k = gemm.out_channels;
  shape.axes = {};
  problem.depth = tap_depth(gemm.out_channels, problem);
  problem.rows = shape.m;
  problem.columns = shape.n;
}

void set_sizes(Problem& problem) {
  if (is_single_output(problem)) return set_single_output(problem);
  const Im2col& gemm = problem.forward();
  GemmShape& shape = problem.shape;
  switch (problem.op.pass) {
    case Pass::fwd:
      problem.depth = gemm.filter_volume * tap_depth(gemm.in_channels, problem);
      break;
    case Pass::bwd_data: {
      const double taps = is_strided_pointwise(gemm) ? 1 : visited_taps(problem);
      if (is_strided_pointwise(gemm)) shape.m = gemm.m;
      shape.k = gemm.out_channels * taps;
      problem.depth = taps * tap_depth(gemm.out_channels, problem);
      break;
    }
    case Pass::bwd_weight: {  // filters are the rows
      const double taps = gemm.filter_volume;
      shape.m = gemm.n;
      shape.n = gemm.k;
      shape.axes = {};
      problem.depth = shape.k;
      problem.columns = taps > 1 ? taps * tap_depth(gemm.in_channels, problem) : gemm.in_channels;
      problem.rows = shape.m;
      problem.results = shape.m * shape.n * shape.count;
      return;
    }
  }
  problem.rows = shape.m;
  problem.columns = shape.n;
  problem.results = shape.m * shape.n * shape.count;
}

// A pointwise convolution is one product for each sample on NCHW as it is, where rows of a map's positions start at
// loads of four numbers. Its data gradient could be, but timm's training steps show that it is not.
bool multiplies_planes(const Problem& problem) {
  constexpr double kNumbers = 4;
  const Im2col& gemm = problem.forward();
  const bool whole = gemm.filter_volume == 1 && gemm.in == gemm.out && product_of(gemm.stride) == 1;
  const bool forward = problem.op.pass == Pass::fwd;
  return forward && whole && !problem.op.nhwc && std::fmod(product_of(gemm.out), kNumbers) == 0;
}

// Kernels before and after the product: libraries' tensors are NCHW unless told otherwise, and the product takes
// operands with contiguous channels, as many as whole loads have. It sums filters in
// FP32, which another kernel brings into the caller's form.
void add_moves(LaunchPlan& plan, const Problem& problem) {
  const OpShape& op = problem.op;
  const Im2col& gemm = op.gemm;
  constexpr Bytes kSum{4}, kOffset{4};
  const Bytes element = op.element;
  const double filters = gemm.groups * gemm.k * gemm.n, outputs = gemm.groups * gemm.m * gemm.n;
  // Of rows along the width whole sectors come, whatever the stride.
  const double inputs = gemm.groups * gemm.batch * gemm.in_channels * gemm.touched[0] * gemm.touched[1] * gemm.in[2];
  const double all_inputs = gemm.groups * gemm.batch * gemm.in_channels * product_of(gemm.in);
  const auto convert = [&](double from, double to, bool needed) {
    if (needed) plan.add_before(element * from, element * to, std::max(from, to));
  };
  const bool planes = multiplies_planes(problem), convert_maps = !op.nhwc && !planes;
  const bool whole_loads = planes || std::fmod(gemm.in_channels, problem.load_channels()) == 0;
  const bool convert_input = convert_maps || !whole_loads;
  const bool convert_filters = problem.rules.converts_filters && (!whole_loads || (!op.nhwc && gemm.filter_volume > 1));
  if (runs_on_lanes(problem)) return;
  if (problem.rules.writes_offsets) plan.add_before(Bytes(0), kOffset * problem.shape.m);
  // Kernels before Ampere store NCHW themselves.
  const auto bring_back = [&](double maps) {
    if (convert_maps && !is_volta_or_turing(problem.gpu))
      plan.add_after(result_of(op) * maps, result_of(op) * maps, maps);
  };
  switch (op.pass) {
    case Pass::fwd:
      convert(inputs, problem.input(), convert_input);
      convert(filters, problem.filters(), convert_filters);
      bring_back(outputs);
      break;
    case Pass::bwd_data:
      convert(outputs, problem.output(), convert_maps);
      convert(filters, problem.filters(), convert_filters);
      // Positions that no tap meets.
      if (is_strided_pointwise(gemm)) plan.add_before(Bytes(0), result_of(op) * all_inputs);
      bring_back(all_inputs);
      break;
    case Pass::bwd_weight:  // before Ampere one of the operands: the times of large layers leave no room for both
      convert(inputs, problem.input(), convert_input && !is_volta_or_turing(problem.gpu));
      convert(outputs, problem.output(), convert_maps);
      if (!op.nhwc) plan.add_after(kSum * filters, result_of(op) * filters);
      break;
  }
}

LaunchPlan plan_of(const Problem& problem) {
  const OpShape& op = problem.op;
  const GemmShape& shape = problem.shape;
  const Bytes result = result_of(op);
  LaunchPlan plan;
  add_moves(plan, problem);
  Launch& launch = plan.main;
  Launch::Product& product = launch.product;
  product.m = shape.m;
  product.n = shape.n;
  product.k = shape.k;
  product.batch = shape.count;
  product.element = op.element;
  product.result = result;
  product.on_lanes = runs_on_lanes(problem);
  if (multiplies_planes(problem)) {
    product.rate_share = narrow_load_share({product_of(op.gemm.out)}, op.element, problem.gpu);
  }
  const double maps = op.pass == Pass::bwd_data ? problem.output() : problem.input();
  product.a_bytes = op.element * maps;
  product.b_bytes = op.element * (op.pass == Pass::bwd_weight ? problem.output() : problem.filters());
  product.b_weights = op.pass != Pass::bwd_weight;
  launch.dram_load = product.a_bytes + product.b_bytes;
  launch.l2_store = launch.dram_store = result * problem.results;
  launch.gradient = op.pass != Pass::fwd;
  return plan;
}

// A tile of C, with what a CTA loads of A and B a step of k, in elements, and how many CTAs there are without a split.
struct ConvGrid {
  double loaded, ctas;
};

ConvGrid set_tile(LaunchPlan& plan, const Tile& tile, const Problem& problem) {
  plan.tile = tile;
  Launch& launch = plan.main;
  Launch::Product& product = launch.product;
  product.tile_m = tile.m;
  product.tile_n = tile.n;
  product.tile_k = tile.k;
  launch.macs_per_step = static_cast<double>(tile.m) * tile.n;
  launch.resident = problem.options.active_ctas_per_sm ? *problem.options.active_ctas_per_sm
                                                       : resident_by_sums(launch.macs_per_step, problem.gpu.sm);
  const double rows = std::min<double>(tile.m, problem.shape.m);
  const double columns = std::min<double>(tile.n, problem.shape.n);
  return {rows * unique_share(problem.shape, rows) + columns,
          std::ceil(problem.rows / tile.m) * std::ceil(problem.columns / tile.n) * product.batch};
}

double steps_of(double split, const Problem& problem) { return std::ceil(problem.main_loop / split) * kConvDepth; }

void set_split(LaunchPlan& plan, double split, double steps, const ConvGrid& grid) {
  plan.split_k = split;
  Launch& launch = plan.main;
  launch.product.split = split;
  launch.ctas = grid.ctas * split;
  launch.steps = steps;
  launch.l2_load = launch.product.element * (launch.ctas * launch.steps * grid.loaded);
}

// Parts that k can be split into.
double most_splits(const ConvGrid& grid, const Problem& problem) {
  if (problem.op.pass != Pass::bwd_weight) return 1;
  return std::min(kMostConvSplitCtas * problem.gpu.sm_count / grid.ctas,
                  rounded_up(problem.main_loop / (kLeastConvSplitLoops - 1)) - 1);
}

bool is_whole(const Tile& tile) { return tile.m == 128 && tile.n == 128; }

}  // namespace

bool is_volta_or_turing(const Gpu& gpu) { return gpu.generation <= generation::kTuring; }

void each_tensor_conv_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit) {
  Problem problem{op, gpu, options, gemm_shape(op), library_rules(op, gpu)};
  set_sizes(problem);
  problem.main_loop = std::ceil(problem.depth / kConvDepth);
  LaunchPlan plan = plan_of(problem);
  std::optional<Tile> known = options.tile ? options.tile : conv_tile_of_kernel(options.kernel);
  std::span<const Tile> tiles = tiles_of(gpu, op.pass);
  if (known) {
    known->k = kConvDepth;
    tiles = std::span(&*known, 1);
  }
  const int told = options.split_k.value_or(1);
  const SplitCounts splits = options.split_k ? SplitCounts(told) : kConvSplitCounts;
  BestFirst candidates(splits);
  const bool whole = !known && takes_whole_tiles(problem);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (whole ? !is_whole(tiles[i]) : is_wasteful(tiles[i], tiles, problem.rows, problem.columns)) continue;
    const ConvGrid grid = set_tile(plan, tiles[i], problem);
    candidates.add(i, visit.tile_least(plan, op.element * grid.loaded), grid.ctas, problem.main_loop, kConvDepth,
                   most_splits(grid, problem));
  }
  candidates.visit([&](const BestFirst::Candidate& one) {
    const ConvGrid grid = set_tile(plan, tiles[one.kernel], problem);
    set_split(plan, one.split, steps_of(one.split, problem), grid);
    return visit(plan);
  });
}

}  // namespace rooftile
