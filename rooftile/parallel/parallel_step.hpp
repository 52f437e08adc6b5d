// The training step of a network on many GPUs: computing, what the GPUs exchange, and what waits for what.
//
// Equal ranks are simulated once: a pipeline stage stands for all of its tensor, context and data parallel GPUs. Within
// a stage micro-batches run as 1F1B has them (Narayanan et al., PipeDream-Flush; interleaved: Megatron-LM's schedule),
// gradients and gathered weights go over a stream of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/execution/parallelism.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/blocks.hpp"
#include "rooftile/parallel/parallel_style.hpp"
#include "rooftile/parallel/rank_memory.hpp"
#include "rooftile/parallel/slow_gpus.hpp"
#include "rooftile/parallel/step_timeline.hpp"

namespace rooftile {

// What the time of the slowest GPU goes to; the parts add up to the step.
struct StepParts {
  Seconds computing;  // kernels
  Seconds issuing;    // waiting for its host
  Seconds exchanges;  // of tensor, context and expert parallel GPUs
  Seconds pipeline;   // waiting for other stages
  Seconds gradients;  // exchange of gradients and weights that nothing hides
  Seconds update;
};

struct ParallelStep {
  Parallelism way;
  Seconds time;
  std::optional<Interval> range;  // 90 %; none where the kernels have none
  StepParts parts;
  RankMemory memory;  // of the GPU that needs the most
  Flops flops;        // of the model, of all GPUs: what is computed again does not count

  double samples_per_second() const { return static_cast<double>(way.batch()) / time.value(); }
};

struct ParallelOptions {
  PredictOptions predict;  // whose optimizer updates the weights
  ParallelStyle style;
  std::vector<SlowGpu> slow = {};
};

// Blocks that were made for `way`, which passed check(). Errors: more GPUs than the cluster has; pipeline stages of a
// network that is no transformer. With `timeline`, each task of it as well, made of kernels where the blocks list them.
Result<ParallelStep> parallel_step(const NetworkBlocks& blocks, const Parallelism& way, const GpuCluster& cluster,
                                   const Gpu& gpu, const ParallelOptions& options, StepTimeline* timeline = nullptr);

}  // namespace rooftile
