// Products of one input that an engine computes in one kernel: queries, keys and values, or a gated MLP's two.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Products by weights that read the same, one after another with no more than views, moves, norms and element-wise
// operators between them, become one whose weights lie side by side (vLLM's QKVParallelLinear and
// MergedColumnParallelLinear, TensorRT-LLM's qkv and use_fused_mlp). It writes each one's result.
Workload merge_products(Workload workload);

}  // namespace rooftile
