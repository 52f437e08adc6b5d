#include "rooftile/roofline/stalls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rooftile::roofline {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "exec_dependency", "memory_dependency", "sync",         "pipe_busy", "inst_fetch", "constant_memory_dependency",
    "texture",         "memory_throttle",   "not_selected", "other",     "sleeping"};

// The stall that a thing which limits a kernel shows as; empty for none.
std::string_view stall_of(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::compute:
    case Bottleneck::power:
      return "pipe_busy";
    case Bottleneck::smem:
      return "exec_dependency";
    case Bottleneck::latency:
    case Bottleneck::l2:
    case Bottleneck::dram:
      return "memory_dependency";
    case Bottleneck::l1:
      return "memory_throttle";
    case Bottleneck::launch:
      break;
  }
  return "";
}

std::vector<StallShare> shares_of(const std::array<double, kNames.size()>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<StallShare> shares;
  for (std::size_t i = 0; sum > 0 && i < kNames.size(); ++i) {
    if (weights[i] > 0) shares.push_back({std::string(kNames[i]), weights[i] / sum});
  }
  return shares;
}

void add(std::array<double, kNames.size()>& weights, std::string_view name, double weight) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) weights[static_cast<std::size_t>(found - kNames.begin())] += weight;
}

}  // namespace

std::span<const std::string_view> stall_names() { return kNames; }

std::vector<StallShare> estimated_stalls(const Cases& cases) {
  std::array<double, kNames.size()> weights{};
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    add(weights, stall_of(static_cast<Bottleneck>(i)), cases.by[i].value());
  }
  return shares_of(weights);
}

std::vector<NetworkStalls> network_stalls(std::span<const Kernel> kernels) {
  std::vector<NetworkStalls> result;
  for (const Origin origin : {Origin::predicted, Origin::measured}) {
    NetworkStalls network;
    network.origin = origin;
    std::array<double, kNames.size()> weights{};
    for (const Kernel& kernel : kernels) {
      if (kernel.origin != origin || kernel.stalls.empty()) continue;
      network.time += kernel.time;
      network.estimated = network.estimated || kernel.stalls_estimated;
      for (const StallShare& stall : kernel.stalls) add(weights, stall.name, stall.share * kernel.time.value());
    }
    network.shares = shares_of(weights);
    if (!network.shares.empty()) result.push_back(std::move(network));
  }
  return result;
}

}  // namespace rooftile::roofline
