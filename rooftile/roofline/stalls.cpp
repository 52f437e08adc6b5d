#include "rooftile/roofline/stalls.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "rooftile/profile/stall_reasons.hpp"

namespace rooftile::roofline {
namespace {

const std::vector<std::string_view>& names() {
  static const std::vector<std::string_view> list = [] {
    std::vector<std::string_view> made;
    for (const profile::StallReason& reason : profile::stall_reasons()) made.push_back(reason.name);
    return made;
  }();
  return list;
}

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
    case Bottleneck::link:
      break;
  }
  return "";
}

std::vector<StallShare> shares_of(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<StallShare> shares;
  for (std::size_t i = 0; sum > 0 && i < names().size(); ++i) {
    if (weights[i] > 0) shares.push_back({std::string(names()[i]), weights[i] / sum});
  }
  return shares;
}

void add(std::vector<double>& weights, std::string_view name, double weight) {
  const auto found = std::find(names().begin(), names().end(), name);
  if (found != names().end()) weights[static_cast<std::size_t>(found - names().begin())] += weight;
}

}  // namespace

std::vector<StallShare> estimated_stalls(const TimeBounds& cases) {
  std::vector<double> weights(names().size());
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    add(weights, stall_of(static_cast<Bottleneck>(i)), cases.by[i].value());
  }
  return shares_of(weights);
}

std::vector<std::string> used_stall_names(const View& view) {
  std::vector<double> weights(names().size());
  const auto note = [&](const std::vector<StallShare>& shares) {
    for (const StallShare& stall : shares) add(weights, stall.name, stall.share);
  };
  for (const NetworkStalls& network : view.stalls) note(network.shares);
  for (const Kernel& kernel : view.kernels) note(kernel.stalls);
  std::vector<std::string> used;
  for (std::size_t i = 0; i < names().size(); ++i) {
    if (weights[i] > 0) used.emplace_back(names()[i]);
  }
  return used;
}

std::vector<NetworkStalls> network_stalls(std::span<const Kernel> kernels) {
  std::vector<NetworkStalls> result;
  for (const Origin origin : {Origin::predicted, Origin::measured}) {
    NetworkStalls network;
    network.origin = origin;
    std::vector<double> weights(names().size());
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
