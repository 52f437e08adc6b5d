// The engine of a server: a transformer on some GPUs, predicted.
#pragma once

#include "rooftile/parallel/parallel_forward.hpp"
#include "rooftile/server/server.hpp"

namespace rooftile {

// What outlives the times that are made of it.
struct EngineSetup {
  Transformer shape;  // passed check()
  Parallelism way;    // tp, pp, dp, ep and the dispatcher
  GpuCluster cluster;
  Gpu gpu;
  PredictOptions options;
  bool continuous = true;  // batching: steps keep all pipeline stages full
};

// Batches and contexts between those that are predicted, each about a quarter above the one before, are interpolated.
// Thread by thread.
EngineTimes engine_times(const EngineSetup& setup);

// Tokens of all sequences that the memory of a replica's GPUs has room for beside the weights, with a share of it left
// free; 0: not even the weights. Errors: those of parallel_forward().
Result<double> cache_room(const EngineSetup& setup, double memory_share);

}  // namespace rooftile
