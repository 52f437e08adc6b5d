// What one of many GPUs holds during a training step.
#pragma once

#include <cstddef>

#include "rooftile/parallel/blocks.hpp"

namespace rooftile {

struct RankMemory {
  Bytes weights, gradients, optimizer, activations;

  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// Of the first pipeline stage, whose parts have `blocks` each: micro-batches wait there the longest for their backward
// pass. With mixed precision the optimiser keeps an FP32 copy of narrower weights. What the allocator and NCCL keep for
// themselves (a GB or two) is not counted.
RankMemory rank_memory(const NetworkBlocks& network, const Parallelism& way, const PredictOptions& options,
                       std::size_t blocks);

}  // namespace rooftile
