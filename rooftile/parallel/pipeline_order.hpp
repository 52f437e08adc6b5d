// The order in which a pipeline stage runs the micro-batches.
#pragma once

#include <vector>

#include "rooftile/execution/parallelism.hpp"

namespace rooftile {

struct PipelineStep {
  bool backward = false;
  int micro_batch = 0;
  int part = 0;  // of the stage's vp parts
};

// One forward, one backward once the pipeline is full; with several parts a stage the interleaved order of Megatron-LM
// (megatron/core/pipeline_parallel/schedules.py).
std::vector<PipelineStep> pipeline_order(const Parallelism& way, int stage);

}  // namespace rooftile
