// Attention that a network spells out as two products with a softmax between them, as one fused kernel.
#pragma once

#include <cstdint>
#include <limits>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class AttentionCalls {
  // Those whose queries are scaled before the first product and whose scores have no mask: so nn.MultiheadAttention is
  // exported, which calls the fused kernel from PyTorch 2.0 on. Networks that scale or mask the scores themselves do
  // not.
  modules,
  networks,  // those, too, that scale scores, or mask them alike for all heads: transformers' from 2024 on
  all,       // but for scores with a bias of their own: an engine has a kernel for each
};

// What a framework has a fused kernel for.
struct FusedHeads {
  std::int64_t dim = 256;
  std::int64_t positions = std::numeric_limits<std::int64_t>::max();
};

Workload fuse_attention(Workload workload, AttentionCalls calls, const FusedHeads& heads = {});

// Attention of two products as FasterTransformer has it: the kernel that adds the biases of queries, keys and values
// also splits and transposes them (invokeAddFusedQKVBiasTranspose), and keys are padded to a multiple of so many; the
// shapes of tensors stay.
Workload lay_out_heads(Workload workload, std::int64_t multiple);

}  // namespace rooftile
