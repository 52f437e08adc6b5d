// Single queries against the latent vectors of DeepSeek's attention, of which values are the first features: all heads
// share them, and their queries are the rows of tiles.
#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/attention_shape.hpp"

namespace rooftile {
namespace {

// FlashMLA on Hopper (csrc/sm90: BLOCK_SIZE_M, PAGE_BLOCK_SIZE), TensorRT-LLM's kernels for Blackwell (fmhaKernels.h:
// tileSizeQ of those for throughput), and before Hopper Triton's (vLLM, triton_decode_attention.py: BLOCK_H, BLOCK).
TileSize latent_tile(const AttentionShape& shape) {
  if (generation::has_tensor_memory(shape.generation)) return {128, 128};
  if (generation::has_async_products(shape.generation)) return {64, 64};
  return {16, 32};
}

}  // namespace

bool is_latent(const AttentionShape& shape) { return shape.kv_heads == 1 && shape.value_dim < shape.dim; }

void choose_latent(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  const TileSize tile = latent_tile(shape);
  const bool tensor_tiles = generation::has_async_products(shape.generation);
  plan.kernel = tensor_tiles ? AttentionKernel::tile : AttentionKernel::small;
  plan.packed = shape.group;
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  // Writing the cache, attention, and adding up what CTAs have of a text.
  if (call.serving) plan.kernels = call.writes_cache ? 3 : 2;
  // CTAs get as many keys each, of whatever texts (FlashMLA, get_mla_metadata).
  const double ctas = shape.batch * std::ceil(shape.q * shape.group / tile.q);
  const double even = shape.sms * std::ceil(ctas / shape.sms) / ctas;
  plan.split = std::clamp(std::min(even, std::ceil(std::min(shape.kv, shape.window) / tile.kv)), 1.0, even);
}

}  // namespace rooftile
