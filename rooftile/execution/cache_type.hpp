// What a language model keeps of earlier positions, in a type of its own.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Keys and values that a step of decoding, or the next part of a prompt, finds in a cache are stored in `type`: engines
// choose it apart from the weights' (vLLM's --kv-cache-dtype, SGLang's, TensorRT-LLM's KvCacheConfig.dtype). Attention
// computes as before; other inputs stay as they are.
Workload keep_cache_in(Workload workload, DType type);

}  // namespace rooftile
