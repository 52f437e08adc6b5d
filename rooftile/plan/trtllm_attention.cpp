// Kernels of TensorRT-LLM: FMHA for a prompt; XQA and masked multi-head attention for single queries.
#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/plan/attention_shape.hpp"

namespace rooftile {
namespace {

// GeForce's and Ada's kernels of up to 255 dimensions keep whole heads in an SM, so that above 128 an SM holds one CTA
// of four warps; those of 256, and an A100's, go over a head in parts ("granular_tiling" in fmhaRunner.cpp; the tiles
// are those of cpp/kernels/fmha_v2/setup.py).
bool untiled(const AttentionShape& shape) {
  return !generation::is_for_data_centers(shape.generation) && !shape.fp8 && shape.dim > 128 && shape.dim < 256;
}

TileSize trtllm_tile(const AttentionShape& shape) {
  if (generation::has_async_products(shape.generation)) {
    return {shape.dim <= 64 ? 64.0 : 128.0, shape.fp8 && shape.dim <= 64 ? 256.0 : 128.0};
  }
  if (spilled(shape)) return {64, shape.dim <= 64 ? 128.0 : 32.0};
  if (untiled(shape)) return {64, 16};
  return {shape.dim <= 128 ? 128.0 : 64.0, 32};
}

// As the kernels of prompts see head dimensions: the next power of two, and on Hopper no more than whole rows of 128
// bytes, which TMA swizzles (cpp/kernels/fmha_v2/src/fmha/warpspec/kernel_traits.h; before Hopper above 128 alone).
double trtllm_dim(const AttentionShape& shape) {
  constexpr double kRow = 128, kBf16 = 2;
  const double power = std::exp2(std::ceil(std::log2(shape.dim)));
  if (!generation::has_async_products(shape.generation))
    return shape.dim > 128 ? std::max(shape.dim, power) : shape.dim;
  const double row = kRow / (shape.fp8 ? 1 : kBf16);
  return std::min(power, row * std::ceil(shape.dim / row));
}

// Of a single query. Hopper's XQA for FP8 keys rotates queries and writes the cache itself, but for models with
// attention sinks, whose heads have 64 dimensions.
double trtllm_kernels(const AttentionShape& shape, bool xqa) {
  constexpr double kSinksDim = 64;
  if (!generation::has_async_products(shape.generation)) return xqa || shape.fp8_keys ? 3 : 3.5;
  if (!xqa) return 2.5;
  return shape.fp8_keys && shape.dim > kSinksDim ? 1.5 : 2;
}

constexpr double kXqaKeys = 128;  // that are worth a CTA of their own

// XQA stacks the heads of a group, where its CTAs would not leave most SMs idle (DecoderXQARunner::mayHavePerfGain);
// with FP8 keys always, as measured.
bool runs_xqa(const AttentionShape& shape, const AttentionCall& call) {
  constexpr double kMostGroup = 32, kBusyShare = 4;
  const bool common =
      shape.dim == 128 && !shape.fp8_keys && std::exp2(std::round(std::log2(shape.group))) == shape.group;
  if (call.xqa == XqaGroups::none || (call.xqa == XqaGroups::common && !common)) return false;
  if (shape.group <= 1 || shape.group > kMostGroup) return false;
  if (shape.fp8_keys) return true;
  const double split = call.splits_cache ? std::max(1.0, std::floor(shape.kv / kXqaKeys)) : 1;
  const double ctas = shape.batch * shape.kv_heads * split;
  return ctas * kBusyShare >= shape.sms;
}

// By the length of the cache, whatever the window (computeMultiBlockCount). Not with FP8 keys: measured, those are
// split by their number on Hopper, and not at all before.
double xqa_split(const AttentionShape& shape) {
  constexpr double kFew = 8, kWaves = 8, kMostCtas = 6000;
  double split = std::floor(shape.kv / kXqaKeys);
  split = std::max(1.0, std::min(split, std::round(std::sqrt(kFew * split))));
  const double waves = shape.batch * shape.kv_heads * split / shape.sms;
  if (waves > kWaves) split = std::max(1.0, std::floor(split * kWaves / waves));
  return std::max(1.0, std::min(split, std::floor(kMostCtas / shape.batch)));
}

}  // namespace

bool choose_trtllm(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  const bool hopper = generation::has_async_products(shape.generation);
  if (!shape.decode) {
    const TileSize tile = trtllm_tile(shape);
    plan.kernel = hopper || spilled(shape) ? AttentionKernel::tile : AttentionKernel::small;
    plan.tile_q = tile.q;
    plan.tile_kv = tile.kv;
    plan.padded_dim = trtllm_dim(shape);
    plan.lone = untiled(shape);
    // Masks of windows may not fit the registers in FP8: 12.5 us, where BF16 takes 8.8 (aiconfigurator, H100).
    plan.spills_masks = hopper && shape.fp8 && shape.window < shape.kv;
    plan.kernels = 4;
    return false;
  }
  const bool xqa = runs_xqa(shape, call);
  const bool converted = shape.fp8_keys && !hopper;
  plan.packed = xqa ? shape.group : 1;
  const TileSize tile = group_tile(shape.group * shape.q);
  plan.tile_q = xqa ? tile.q : shape.q;
  plan.tile_kv = tile.kv;
  plan.waits = true;
  if (!xqa) {
    plan.kernel = converted ? AttentionKernel::converted : AttentionKernel::vector;
    if (converted) plan.resident = 2;
  } else {
    plan.kernel = shape.fp8_keys && hopper ? AttentionKernel::stacked : AttentionKernel::group;
  }
  plan.kernels = trtllm_kernels(shape, xqa);
  if (!call.splits_cache) return false;
  plan.merged = xqa && !shape.fp8_keys;
  if (plan.merged) plan.split = xqa_split(shape);
  return !plan.merged && !(xqa && converted);
}

}  // namespace rooftile
