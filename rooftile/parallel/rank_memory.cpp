#include "rooftile/parallel/rank_memory.hpp"

#include <algorithm>
#include <cmath>

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

// Between the embedding and the head.
double layers_of(const NetworkBlocks& network) { return std::max(static_cast<double>(network.order.size()) - 2, 1.0); }

// Where they do not divide the first stages have one more.
double layers_of_first_stage(const NetworkBlocks& network, const Parallelism& way) {
  return std::ceil(layers_of(network) / way.pp);
}

// Its share of the layers, and the embedding.
HeldWeights of_first_stage(const NetworkBlocks& network, const Parallelism& way) {
  if (way.pp == 1) return network.weights;
  const HeldWeights &first = network.kinds.front().weights, &last = network.kinds.back().weights;
  const double share = layers_of_first_stage(network, way) / layers_of(network);
  return {(network.weights.shared - first.shared - last.shared) * share + first.shared,
          network.weights.experts * share};
}

double largest_block(const NetworkBlocks& network) {
  double largest = 0;
  for (const Block& block : network.kinds) largest = std::max(largest, block.weights.all());
  return largest;
}

}  // namespace

double shard_of(const HeldWeights& weights, const Parallelism& way) {
  return weights.shared / (way.dp * way.cp) + weights.experts / way.expert_replicas();
}

RankMemory rank_memory(const NetworkBlocks& network, const Parallelism& way, const PredictOptions& options) {
  const HeldWeights held = of_first_stage(network, way);
  const double largest = largest_block(network);
  const auto share = [&](Sharding from) { return way.sharding >= from ? shard_of(held, way) : held.all(); };
  const double copy = network.weight < Bytes(kWide) ? 1 : 0;
  RankMemory memory;
  memory.weights = network.weight * share(Sharding::all);
  memory.gradients = network.gradient * share(Sharding::gradients);
  if (way.sharding == Sharding::all && way.dp * way.cp > 1) {
    constexpr double kGathered = 3;
    memory.weights += network.weight * std::min(kGathered * largest, held.all());
    memory.gradients += network.gradient * largest;
  }
  memory.optimizer = Bytes(kWide) * ((state_values(options.optimizer) + copy) * share(Sharding::optimizer));
  const double further = layers_of_first_stage(network, way) * in_flight(way) - 1;
  memory.activations = network.activations_first + network.activations_next * std::max(further, 0.0);
  // What is on its way to the host or back: of the block that is computed and of the next.
  if (way.offloads_optimizer()) {
    memory.gradients = std::min(memory.gradients, network.gradient * (2 * largest));
    memory.optimizer = {};
  }
  if (way.offloads_activations()) {
    memory.activations = network.activations_first + network.activations_next * std::clamp(further, 0.0, 1.0);
  }
  return memory;
}

}  // namespace rooftile
