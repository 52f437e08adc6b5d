// Kernels of TensorRT-LLM for Blackwell of data centres, which FlashInfer hands to vLLM and SGLang as well
// (flashinfer.prefill.trtllm_batch_context_with_kv_cache, flashinfer.decode.trtllm_batch_decode_with_kv_cache).
#include "rooftile/plan/attention_shape.hpp"

namespace rooftile {
namespace {

// What prepares the call, the attention, and what writes the cache. TensorRT-LLM prepares prompts as on Hopper.
double trtllm_gen_kernels(const AttentionShape& shape, const AttentionCall& call) {
  const double read = call.tensorrt && !shape.decode ? 3 : 2;
  return call.writes_cache ? read + 1 : read;
}

}  // namespace

bool choose_trtllm_gen(AttentionPlan& plan, const AttentionShape& shape, const AttentionCall& call) {
  plan.kernels = trtllm_gen_kernels(shape, call);
  if (!shape.decode) {
    plan.kernel = AttentionKernel::tile;
    plan.tile_q = shape.dim <= 128 ? 256 : 128;  // what sums the tensor memory holds
    plan.tile_kv = 128;
    return false;
  }
  // Heads of a group are columns, eight to an instruction; FP8 values have to be transposed on the way.
  plan.kernel = AttentionKernel::stacked;
  plan.packed = shape.group;
  const TileSize tile = group_tile(shape.group * shape.q);
  plan.tile_q = tile.q;
  plan.tile_kv = tile.kv;
  plan.waits = shape.fp8_keys;
  plan.merged = true;
  return true;
}

}  // namespace rooftile
