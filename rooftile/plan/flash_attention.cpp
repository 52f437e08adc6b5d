// Kernels of FlashAttention 2 to 4, and of cuDNN, which are built alike.
#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/attention_shape.hpp"

namespace rooftile {
namespace {

// tile_size_fwd_sm90 with paged_kv_non_TMA, as single queries are.
TileSize paged_tile(const AttentionShape& shape) {
  const double rows = shape.dim <= 64 ? 192 : 128;
  if (shape.fp8) return {rows, shape.dim <= 192 ? 160.0 : 112.0};
  if (shape.dim > 192) return {rows, 80};
  return {rows, shape.dim <= 128 ? 128.0 : 96.0};
}

// tile_size_fwd_sm90 and tile_size_fwd_sm8x of FlashAttention-3. Single queries need fewer rows. FlashAttention-4 and
// cuDNN on Blackwell: two tiles of 128 rows, of which one is exponentiated while the other is multiplied.
TileSize flash3_tile(const AttentionShape& shape, bool paged) {
  if (generation::has_tensor_memory(shape.generation) && !shape.decode) return {shape.dim <= 128 ? 256.0 : 128.0, 128};
  if (!generation::has_async_products(shape.generation)) {
    if (shape.dim <= 64) return {128, 112};
    return {128, shape.dim <= 128 && !generation::is_for_data_centers(shape.generation) ? 128.0 : 64.0};
  }
  if (shape.decode && paged) return paged_tile(shape);
  if (shape.decode && shape.dim <= 128) return {64, shape.dim <= 64 ? 64.0 : 128.0};
  if (shape.dim <= 64) return {192, 128};
  if (shape.dim > 192) return {128, 64};
  if (shape.fp8) return {128, 160};
  return {128, shape.dim <= 128 ? 128.0 : 96.0};
}

// FlashAttention-2's kernels for paged and for split keys (run_mha_fwd_splitkv_dispatch), and for others
// (run_mha_fwd_hdim64 and so on).
TileSize flash2_tile(const AttentionShape& shape, bool paged) {
  if (paged || shape.decode) return {64, shape.dim <= 64 ? 256.0 : shape.dim <= 128 ? 128.0 : 64.0};
  return {128, shape.dim <= 64 ? 128.0 : 64.0};
}

// Four warps each; queries and one tile of keys and values lie in shared memory.
double flash2_resident(TileSize tile, const AttentionShape& shape) {
  constexpr double kElement = 2, kMost = 2;
  const double bytes = kElement * (tile.q * shape.dim + tile.kv * (shape.dim + shape.value_dim));
  return std::clamp(std::floor(shape.smem / bytes), 1.0, kMost);
}

// Heads of one group, or of one text, lie like queries already.
bool copies_heads(const AttentionShape& shape) { return shape.kv_heads > 1 && shape.batch > 1; }

// Writing the cache, attention, and what prepares it: a kernel that overlaps with the one before counts half.
double flash_kernels(const AttentionShape& shape, bool third, bool swapped) {
  // Of heads to queries and back.
  const double moves = copies_heads(shape) ? 2 : 0.5;
  if (!shape.decode && !swapped) return third ? 3 : 2.5;
  if (third) return generation::has_async_products(shape.generation) ? 2.5 : 2;
  return swapped ? 1.5 + moves : 1.5;
}

// A persistent CTA looks for its next tile among the lengths of 31 sequences at a time
// (VarlenDynamicPersistentTileScheduler).
void set_paged(AttentionPlan& plan, const AttentionShape& shape) {
  constexpr double kSequences = 31;
  plan.kernel = AttentionKernel::paged;
  plan.transposed = shape.fp8;
  plan.scans = std::ceil(shape.batch / kSequences);
  // Three warpgroups share the registers of an SM at 64 dimensions, and FP8's tiles are longer.
  plan.spills_masks = shape.window < shape.kv && (shape.fp8 || shape.dim <= 64);
}

}  // namespace

bool choose_flash(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  const bool early_cudnn = call.library == AttentionLibrary::cudnn && !generation::has_async_products(shape.generation);
  const bool third = !precedes_flash3(call.library) && !early_cudnn;
  plan.persistent =
      generation::has_async_products(shape.generation) && !generation::has_tensor_memory(shape.generation);
  const bool paged = third && call.serving && plan.persistent;
  TileSize tile = third ? flash3_tile(shape, paged) : flash2_tile(shape, call.serving);
  // Before Hopper, FlashAttention-3 has a kernel of 8 warps for keys that are split.
  constexpr TileSize kSplitTile = {128, 112};
  const bool early = third && !generation::has_async_products(shape.generation);
  const double tiles = shape.batch * shape.kv_heads * std::ceil(shape.q * shape.group / kSplitTile.q);
  const bool eight_warps =
      early && shape.decode && shape.dim <= 128 &&
      attention_split(tiles, shape.sms, std::ceil(std::min(shape.kv, shape.window) / kSplitTile.kv)) > 1;
  if (eight_warps) tile = kSplitTile;
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  plan.padded_dim = kernel_dim(call.library, shape.dim);
  // FlashAttention-2 turns the heads of a group into queries for a single query without a window, and only then splits.
  const bool swapped = shape.q == 1 && shape.group > 1 && !shape.windowed;
  plan.packed = third || swapped ? shape.group : 1;
  plan.copied = call.library == AttentionLibrary::flash2 && swapped && copies_heads(shape);
  const bool four_warps = shape.dim <= 64 || (shape.dim <= 128 && generation::is_for_data_centers(shape.generation));
  if (early && four_warps && !eight_warps) plan.resident = 2;
  if (shape.decode && paged) set_paged(plan, shape);
  if (!third && (call.serving || !shape.decode)) plan.resident = flash2_resident(tile, shape);
  plan.split_tile = call.library == AttentionLibrary::flash2 && (call.serving || shape.decode);
  plan.lone = !third && call.serving && plan.resident == 1;
  if (call.serving) plan.kernels = flash_kernels(shape, third, swapped);
  if (call.serving && !call.writes_cache) plan.kernels = std::max(1.0, plan.kernels - 1);
  if (early) return eight_warps || (shape.decode && shape.dim > 128);
  return shape.decode && (third || swapped);
}

}  // namespace rooftile
