#include "rooftile/plan/attention_backward.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/plan/attention_shape.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

struct KeyTile {
  double q, kv;
};

// FlashAttention-2 (run_mha_bwd_hdim64 and so on): large tiles where the shared memory holds them.
KeyTile early_key_tile(double dim, const Gpu& gpu) {
  constexpr Bytes kLarge = Bytes(144 * 1024);
  const bool large = gpu.sm.smem_per_cta >= kLarge;
  if (dim <= 64) return {large ? 128.0 : 64.0, 128};
  if (dim <= 128) return {64, large ? 128.0 : 64.0};
  return {64, 64};
}

// FlashAttention-3 (run_mha_bwd_hdim64 and so on of hopper/); FlashAttention-4 and cuDNN on Blackwell.
KeyTile key_tile(const Attention& attention, const AttentionUnits& units, const Gpu& gpu) {
  const auto dim = static_cast<double>(std::max(attention.head_dim, value_dim(attention)));
  if (units.overlapped) return {128, 128};
  if (!units.asynchronous) return early_key_tile(dim, gpu);
  if (dim <= 64) return {128, 128};
  if (dim <= 128) return {attention.causal || attention.window > 0 ? 64.0 : 80.0, 128};
  return {64, dim <= 192 ? 96.0 : 80.0};
}

// Of the CTAs of a head, whose tiles of keys see different numbers of queries.
struct KeySteps {
  double tiles = 1, mean = 1, most = 1;
};

KeySteps count_key_steps(const Attention& attention, const KeyTile& tile, bool windowed) {
  constexpr double kMostTiles = 4096;  // of more, some stand for all
  const auto q = static_cast<double>(attention.q_len), kv = static_cast<double>(attention.kv_len);
  const double before = kv - q;  // keys before the first query
  const double tiles = std::ceil(kv / tile.kv), counted = std::min(tiles, kMostTiles);
  const double apart = counted > 1 ? (tiles - 1) / (counted - 1) : 1;
  KeySteps steps{.tiles = tiles, .mean = 0, .most = 0};
  for (double i = 0; i < counted; ++i) {
    const double first = std::round(i * apart) * tile.kv, last = std::min(first + tile.kv, kv) - 1;
    const double begin = attention.causal ? std::clamp(first - before, 0.0, q - 1) : 0;
    double end = q;
    if (windowed) end = std::clamp(last - before + static_cast<double>(attention.window), begin + 1, q);
    const double count = std::ceil(end / tile.q) - std::floor(begin / tile.q);
    steps.mean += count / counted;
    steps.most = std::max(steps.most, count);
  }
  return steps;
}

}  // namespace

AttentionPlan attention_backward_plan(const Attention& attention, DType precision, const AttentionCall& call,
                                      const Gpu& gpu) {
  const AttentionUnits units = attention_units(gpu);
  const KeyTile tile = key_tile(attention, units, gpu);
  const auto dim = static_cast<double>(attention.head_dim), values = static_cast<double>(value_dim(attention));
  const auto heads = static_cast<double>(attention.heads);
  AttentionPlan plan;
  plan.library = call.library;
  plan.backward = true;
  plan.precision = attention_precision(attention, precision, call.library, gpu);
  const bool fp8 = plan.precision == DType::fp8;
  if (fp8 && !units.overlapped) plan.rate = AttentionRate::fp8;
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  plan.head_dim = dim;
  plan.padded_dim = kernel_dim(plan.library, dim);
  plan.pair_macs = 3 * plan.padded_dim + 2 * (plan.padded_dim > dim ? plan.padded_dim : values);
  plan.block_scaled = attention.block_scaled;
  plan.warm = true;
  // cuDNN's FP8 kernel takes as long with an order of its sums as without, and with a window as without.
  plan.ordered = attention.deterministic && !fp8;
  set_instructions(plan, gpu);
  const bool unfused = call.library == AttentionLibrary::unfused;
  Attention seen = attention;
  if (unfused) seen.causal = false;
  const KeySteps steps = count_key_steps(seen, tile, attention.window > 0 && !fp8 && !unfused);
  plan.ctas = static_cast<double>(attention.batch) * heads * steps.tiles;
  plan.steps = steps.mean;
  plan.most_steps = steps.most;

  constexpr double kSum = 4, kActivation = 2;  // FP32; results of FP8 are written as BF16
  const double element = size_of(precision).value(), result = std::max(kActivation, element);
  const AttentionElements count = elements_of(attention);
  const bool grouped = attention.heads != attention.kv_heads;
  const double copies = heads / static_cast<double>(attention.kv_heads);  // of the keys' gradients, one a head
  plan.queries = Bytes(element * (count.q + count.out));
  plan.keys = Bytes(element * (count.kv + count.values));
  plan.results = Bytes(result * copies * (count.kv + count.values));
  const double visits = plan.ctas * plan.steps * plan.tile_q;
  plan.reloads = Bytes(std::max(0.0, visits * element * (dim + values) - plan.queries.value()));
  plan.sums = Bytes(kSum * count.q);
  plan.added = Bytes(kSum * visits * dim);
  if (unfused) {
    const double pairs = static_cast<double>(attention.batch) * heads * static_cast<double>(attention.q_len) *
                         static_cast<double>(attention.kv_len);
    plan.kernel = AttentionKernel::small;
    plan.around = Bytes(result * unfused_elements(true, attention.causal) * pairs);
    plan.kernels = 5;
    plan.reloads = plan.sums = plan.added = Bytes(0);
    return plan;
  }
  // O and dO are loaded and the sums cleared, later loaded and written as the gradient.
  plan.around = Bytes(2 * result * count.out + 2 * kSum * count.q + result * count.q);
  plan.kernels = 3;
  if (grouped) {
    plan.around += plan.results + Bytes(result * (count.kv + count.values));
    plan.kernels += 1;
  }
  return plan;
}

}  // namespace rooftile
