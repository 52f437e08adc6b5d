#include "rooftile/parallel/rank_memory.hpp"

#include <algorithm>

#include "rooftile/ops/optimizer.hpp"

namespace rooftile {
namespace {

constexpr double kWide = 4;  // bytes of an FP32 value

// Micro-batches of a part of the first stage that are forward and not yet backward.
double in_flight(const Parallelism& way) {
  const auto micro_batches = static_cast<double>(way.micro_batches);
  if (way.vp == 1) return std::min<double>(way.pp, micro_batches);
  const double warm_up = 2.0 * (way.pp - 1) + (way.vp - 1.0) * way.pp + 1;
  return std::min(warm_up / way.vp, micro_batches);
}

}  // namespace

RankMemory rank_memory(const NetworkBlocks& network, const Parallelism& way, const PredictOptions& options,
                       std::size_t blocks) {
  // Of a stage: its share of the layers, and the embedding.
  double weights = network.weights;
  if (way.pp > 1) {
    const double ends = network.kinds.front().weights + network.kinds.back().weights;
    weights = (network.weights - ends) / way.pp + network.kinds.front().weights;
  }
  const double replicas = way.dp * way.cp;
  const auto over = [&](Sharding from) { return way.sharding >= from ? replicas : 1.0; };
  const double copy = network.weight < Bytes(kWide) ? 1 : 0;
  RankMemory memory;
  memory.weights = network.weight * (weights / over(Sharding::all));
  memory.gradients = network.gradient * (weights / over(Sharding::gradients));
  memory.optimizer = Bytes(kWide) * ((state_values(options.optimizer) + copy) * weights / over(Sharding::optimizer));
  const double further = static_cast<double>(blocks) * way.vp * in_flight(way) - 1;
  memory.activations = network.activations_first + network.activations_next * std::max(further, 0.0);
  // What is on its way to the host or back: of the block that is computed and of the next.
  if (way.offloads_optimizer()) {
    double largest = 0;
    for (const Block& block : network.kinds) largest = std::max(largest, block.weights);
    memory.gradients = std::min(memory.gradients, network.gradient * (2 * largest));
    memory.optimizer = {};
  }
  if (way.offloads_activations()) {
    memory.activations = network.activations_first + network.activations_next * std::clamp(further, 0.0, 1.0);
  }
  return memory;
}

}  // namespace rooftile
