// What a language model keeps of earlier positions, in a type of its own.
#pragma once

#include <optional>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// What keys and values of earlier positions are stored in. Checkpoints in FP8 and FP4 come with scales for a cache in
// FP8 (Model Optimizer's FP8_DEFAULT_CFG and NVFP4_DEFAULT_CFG with FP8_KV_CFG); else they are what activations are.
DType cache_type(std::optional<DType> asked, DType precision);

// Keys and values that a step of decoding, or the next part of a prompt, finds in a cache are stored in `type`: engines
// choose it apart from the weights' (vLLM's --kv-cache-dtype, SGLang's, TensorRT-LLM's KvCacheConfig.dtype). Attention
// computes as before; other inputs stay as they are.
Workload keep_cache_in(Workload workload, DType type);

// Each step concatenates the caches and what is new into others, which it writes whole.
Workload copy_caches(Workload workload);

}  // namespace rooftile
