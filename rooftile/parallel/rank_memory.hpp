// What one of many GPUs holds during a training step.
#pragma once

#include "rooftile/parallel/blocks.hpp"

namespace rooftile {

// Of the weights that a GPU holds, what it keeps where data and context parallel GPUs share them.
double shard_of(const HeldWeights& weights, const Parallelism& way);

struct RankMemory {
  Bytes weights, gradients, optimizer, activations;

  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// Of the first pipeline stage: micro-batches wait there the longest for their backward pass. Weights that are shared
// are gathered for a block and for two ahead of it, and its gradient is whole until it is reduced (FSDP,
// limit_all_gathers). With mixed precision the optimiser keeps an FP32 copy of narrower weights. What the allocator and
// NCCL keep for themselves (a GB or two) is not counted.
RankMemory rank_memory(const NetworkBlocks& network, const Parallelism& way, const PredictOptions& options);

}  // namespace rooftile
