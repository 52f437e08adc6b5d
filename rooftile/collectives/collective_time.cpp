#include "rooftile/collectives/collective_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "rooftile/gpu/generation.hpp"

namespace rooftile {
namespace {

// Printed by tools/fit_collectives.py: 1,008 rows of NCCL on A100 and H100, 2 to 8 GPUs, 512 B to 512 MB.
struct ProtocolCosts {
  double start = 0, round = 0;  // thousand cycles
  double efficiency = 1;        // of the link
  bool copies = true;
};
constexpr double kRingStart = 10.42, kDirectStart = 14.74;  // of every protocol; direct: all-to-all and send
constexpr std::array<ProtocolCosts, 3> kProtocols = {
    ProtocolCosts{0, 1.486, 0.054, false}, ProtocolCosts{5.152, 1.276, 0.397}, ProtocolCosts{36.39, 3.212, 0.753}};
constexpr double kCopy = 0.299;  // of the DRAM's bandwidth
constexpr double kSwitched = 0.512;
constexpr int kSwitchedRounds = 2, kLeastSwitched = 8;

// Of an engine's own kernels (vLLM's csrc/custom_all_reduce.cuh; PR 2192 of vllm-project/vllm): a start with its two
// barriers, and what 36 CTAs of 512 threads read, each with 16 bytes from a GPU in flight: a share of the link, but no
// more than so much. Fitted to vLLM 0.20 on six GPUs of three generations (data/measurements/vllm_all_reduce.csv). The
// limits are the source's: two GPUs always take one shot.
constexpr Seconds kShot(4.8e-6), kShotOfBlackwell(7.1e-6);
constexpr double kShotShare = 0.6;
constexpr BytesPerSecond kShotMost(270e9);
constexpr Bytes kOneShotOfFour(512 << 10), kOneShotOfMore(256 << 10), kOwnKernels(8 << 20);

// A hop through the network, in microseconds, and the share of its line rate, by protocol: LL, LL128, Simple. NCCL's
// tuning.cc: hwLat[NET] of rings and of trees; LL sends a flag with every word, LL128 one with 120 bytes.
struct NetworkCosts {
  double ring_hop, tree_hop, efficiency;
};
constexpr std::array<NetworkCosts, 3> kNetwork = {NetworkCosts{2.7, 5.0, 0.5}, NetworkCosts{4.0, 8.5, 0.92},
                                                  NetworkCosts{14.0, 14.0, 0.92}};

// A hop's latency where the constants above were measured, or are NCCL's: rings in LL over NVLink and InfiniBand.
constexpr Seconds kLinkLatency(0.6e-6), kNetworkLatency(2.7e-6);

// What a hop takes more.
Seconds further(Seconds latency, Seconds usual) { return latency > Seconds(0) ? latency - usual : Seconds(0); }

bool is_direct(CollectiveKind kind) { return kind == CollectiveKind::all_to_all || kind == CollectiveKind::send; }

Seconds cycles(double thousands, const Gpu& gpu) { return Seconds(thousands * 1e3 / gpu.clock.value()); }

// Rounds within the nodes and through the network.
struct Rounds {
  double links = 0, hops = 0;
  bool tree = false;
};

Rounds ring_rounds(const Collective& collective, const Group& group) {
  const double all = rounds_of(collective);
  if (group.nodes() == 1) return {all, 0};
  const double over = collective.kind == CollectiveKind::all_reduce ? 2.0 * group.nodes() : group.nodes() - 1;
  const double hops = is_direct(collective.kind) ? 1 : std::min(all, over);
  return {all - hops, hops};
}

// Up and down again: chains within the nodes, a binary tree over them.
Rounds tree_rounds(const Group& group) {
  return {2.0 * (group.per_node - 1), 2 * std::log2(static_cast<double>(group.nodes())), true};
}

// What leaves a node, as a share of the bytes.
double share_out(const Collective& collective, const Group& group) {
  if (collective.kind != CollectiveKind::all_to_all) return share_sent(collective);
  return group.per_node * share_of_others(collective, group.nodes());
}

// What crosses a host bridge, as a share of the bytes: a ring does so once.
double share_across(const Collective& collective, const Group& group, double sent) {
  if (collective.kind != CollectiveKind::all_to_all) return sent;
  return group.per_bridge * share_of_others(collective, group.per_node / group.per_bridge);
}

class Exchange {
 public:
  Exchange(const Collective& collective, const Gpu& gpu, const Group& group)
      : collective_(collective), gpu_(gpu), group_(group) {}

  CollectiveTime fastest() {
    for (std::size_t i = 0; i < kProtocols.size(); ++i) {
      consider(i, kProtocols[i], ring_rounds(collective_, group_), share_sent(collective_));
      const bool over_nodes = group_.nodes() > 1 && collective_.kind == CollectiveKind::all_reduce;
      if (over_nodes) consider(i, kProtocols[i], tree_rounds(group_), share_sent(collective_));
    }
    if (is_switched()) {
      ProtocolCosts costs = kProtocols.back();
      costs.efficiency = kSwitched;
      Rounds rounds = {kSwitchedRounds, 0};
      // Two levels: sums of nodes go up and down a tree (NVLSTree).
      if (group_.nodes() > 1) rounds = {kSwitchedRounds, tree_rounds(group_).hops, true};
      consider(kProtocols.size(), costs, rounds, 1);
    }
    if (reads_peers()) consider_shots();
    best_.low = best_.time / kCollectiveSpread;
    best_.high = best_.time * kCollectiveSpread;
    return best_;
  }

 private:
  void consider(std::size_t protocol, const ProtocolCosts& costs, const Rounds& rounds, double sent) {
    CollectiveTime time;
    time.protocol = static_cast<Protocol>(protocol);
    const double start = is_direct(collective_.kind) ? kDirectStart : kRingStart;
    time.latency = cycles(start + costs.start + costs.round * rounds.links, gpu_) +
                   further(group_.link_latency, kLinkLatency) * rounds.links;
    if (group_.per_node > 1) time.transfer = collective_.bytes * sent / (group_.link.bandwidth * costs.efficiency);
    if (group_.per_bridge > 0) {
      const Bytes crossing = collective_.bytes * share_across(collective_, group_, sent);
      time.transfer = std::max(time.transfer, crossing / (group_.bridge * costs.efficiency));
    }
    if (rounds.hops > 0) {
      const NetworkCosts& network = kNetwork[std::min(protocol, kNetwork.size() - 1)];
      const Seconds hop((rounds.tree ? network.tree_hop : network.ring_hop) * 1e-6);
      time.latency += (hop + further(group_.network_latency, kNetworkLatency)) * rounds.hops;
      const Seconds out = collective_.bytes * share_out(collective_, group_) / (group_.network * network.efficiency);
      time.network = out > time.transfer;
      time.transfer = std::max(time.transfer, out);
    }
    const bool owns = costs.copies && collective_.kind != CollectiveKind::send;
    if (owns) {
      time.copy = collective_.bytes / static_cast<double>(collective_.gpus) / (gpu_.level("DRAM").bandwidth * kCopy);
    }
    time.time = time.latency + time.transfer + time.copy;
    if (best_.time <= Seconds(0) || time.time < best_.time) best_ = time;
  }

  // vLLM's _SUPPORTED_WORLD_SIZES (vllm/distributed/device_communicators/custom_all_reduce.py), which SGLang has too.
  bool reads_peers() const {
    constexpr int kMostGpus = 8;
    return collective_.reads_peers && collective_.kind == CollectiveKind::all_reduce && group_.nodes() == 1 &&
           group_.gpus <= kMostGpus && group_.gpus % 2 == 0 && group_.link.name == "NVLink" &&
           collective_.bytes < kOwnKernels;
  }

  void consider_shots() {
    constexpr int kFew = 4;
    const int gpus = group_.gpus;
    const bool once = gpus == 2 || collective_.bytes < (gpus <= kFew ? kOneShotOfFour : kOneShotOfMore);
    CollectiveTime time;
    time.protocol = once ? Protocol::one_shot : Protocol::two_shots;
    time.latency = gpu_.generation >= generation::kBlackwell ? kShotOfBlackwell : kShot;
    if (!once) time.latency *= 2;
    const double read = once ? gpus - 1 : share_sent(collective_);
    time.transfer = collective_.bytes * read / std::min(group_.link.bandwidth * kShotShare, kShotMost);
    time.time = time.latency + time.transfer;
    if (time.time < best_.time) best_ = time;
  }

  bool is_switched() const {
    const bool sums = is_floating(collective_.dtype) && !is_narrow_float(collective_.dtype);
    return collective_.kind == CollectiveKind::all_reduce && sums &&
           generation::has_summing_switches(gpu_.generation) && group_.link.name == "NVLink" &&
           group_.per_node >= kLeastSwitched;
  }

  const Collective& collective_;
  const Gpu& gpu_;
  const Group& group_;
  CollectiveTime best_;
};

}  // namespace

std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, 6> kNames = {"LL", "LL128", "Simple", "NVLS", "one shot", "two shots"};
  return kNames[static_cast<std::size_t>(protocol)];
}

CollectiveTime collective_time(const Collective& collective, const Gpu& gpu, const Link& link) {
  Group group;
  group.gpus = group.per_node = collective.gpus;
  group.link = link;
  return Exchange(collective, gpu, group).fastest();
}

CollectiveTime collective_time(const Collective& collective, const Gpu& gpu, const Group& group) {
  if (group.gpus <= 1) return {};
  return Exchange(collective, gpu, group).fastest();
}

}  // namespace rooftile
