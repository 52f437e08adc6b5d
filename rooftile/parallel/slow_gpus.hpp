// GPUs that hold up the others of a training step.
#pragma once

#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/execution/parallelism.hpp"

namespace rooftile {

// A GPU that computes at a share of what the others reach: hot, capped, or with a slow neighbour on its host.
struct SlowGpu {
  int rank = 0;  // as Parallelism numbers them
  double speed = 1;
};

// Errors: a GPU that the way does not have, no speed.
Result<void> check(const std::vector<SlowGpu>& slow, const Parallelism& way);

// A stage waits for its slowest GPU with every exchange. Replicas that gather weights, or whose experts are spread over
// each other's GPUs, wait for each other in every layer and count as one. Other replicas wait for the one with the
// slowest pipeline when they sum gradients: of several that have slow GPUs that one is simulated.
//
// How much longer the stages of replicas that have slow GPUs compute, each different one once; of a way that has none,
// stages as fast as they are.
std::vector<std::vector<double>> slower_stages(const Parallelism& way, const std::vector<SlowGpu>& slow);

}  // namespace rooftile
