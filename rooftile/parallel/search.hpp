// All ways to spread a training step over a number of GPUs, and which of them is the fastest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {

// What a degree may be; empty: whatever divides.
struct WaysAsked {
  std::vector<int> tp = {}, pp = {}, dp = {}, cp = {}, ep = {}, etp = {}, vp = {};
  std::vector<std::int64_t> micro_batch = {};
  std::vector<Sharding> sharding = {};
  std::vector<Recompute> recompute = {};
  std::vector<Offload> offload = {Offload::none};
  std::vector<Dispatcher> dispatcher = {Dispatcher::nccl};
};

// Ways whose product is `gpus` and whose samples are `batch`, tensor parallel ones within a node unless asked for. Of a
// network that is no transformer only data parallel ones.
std::vector<Parallelism> ways_of(const ParallelNetwork& network, const GpuCluster& cluster, int gpus,
                                 std::int64_t batch, const WaysAsked& asked);

enum class WayFate {
  fits,
  too_large,   // for the memory
  impossible,  // a degree that the network does not divide by
};

struct WayTried {
  Parallelism way;
  WayFate fate = WayFate::fits;
  ParallelStep step;   // without a time where it does not fit
  std::string reason;  // why it is impossible
};

struct SearchOptions {
  ParallelOptions parallel;
  double memory_share = 1;  // of a GPU's, that may be used
  std::size_t threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // from any thread
};

// Each way's fate, in the order given; none of those that a stop kept from being tried.
std::vector<std::optional<WayTried>> try_ways(const ParallelNetwork& network, const std::vector<Parallelism>& ways,
                                              const GpuCluster& cluster, const Gpu& gpu, const SearchOptions& options);

// Those that were tried: those that fit first, the fastest first; the others by the memory they need.
std::vector<WayTried> in_order(std::vector<std::optional<WayTried>> tried);

// Every way that was tried until a stop, in_order().
std::vector<WayTried> search_ways(const ParallelNetwork& network, const std::vector<Parallelism>& ways,
                                  const GpuCluster& cluster, const Gpu& gpu, const SearchOptions& options);

// Of those that fit: none of the others is both faster and smaller. Indices, the fastest first.
std::vector<std::size_t> front_of(const std::vector<WayTried>& tried);

}  // namespace rooftile
