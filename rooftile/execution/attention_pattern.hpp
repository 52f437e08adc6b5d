// Attention that a network spells out as two products with a softmax between them, as one fused kernel.
#pragma once

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

Workload fuse_attention(Workload workload, AttentionCalls calls);

}  // namespace rooftile
