#include "rooftile/parallel/search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "rooftile/base/threads.hpp"

namespace rooftile {
namespace {

// By pairs, as a batch may be a billion.
template <class Value>
std::vector<Value> divisors(Value of, Value most) {
  std::vector<Value> found;
  for (Value i = 1; i <= of / i; ++i) {
    if (of % i != 0) continue;
    found.push_back(i);
    if (of / i != i) found.push_back(of / i);
  }
  std::erase_if(found, [&](Value value) { return value > most; });
  std::sort(found.begin(), found.end());
  return found;
}

template <class Value>
bool is_asked(const std::vector<Value>& asked, Value value) {
  return asked.empty() || std::find(asked.begin(), asked.end(), value) != asked.end();
}

class Ways {
 public:
  Ways(const ParallelNetwork& network, const GpuCluster& cluster, int gpus, std::int64_t batch, const WaysAsked& asked)
      : network_(network), cluster_(cluster), gpus_(gpus), batch_(batch), asked_(asked) {
    const bool splits = network.shape && network.shape->form != TransformerForm::encoder_decoder;
    layers_ = splits ? network.shape->layers : 1;
    heads_ = splits ? network.shape->heads : 1;
    experts_ = splits && network.shape->experts > 0;
    length_ = splits ? network.seq_len : 1;
  }

  std::vector<Parallelism> all() {
    const int most = asked_.tp.empty() ? cluster_.gpus_per_node : std::numeric_limits<int>::max();
    for (const int tp : divisors(gpus_, most)) {
      if (!is_asked(asked_.tp, tp) || heads_ % tp != 0) continue;
      for (const int cp : divisors(gpus_ / tp, gpus_)) {
        if (!is_asked(asked_.cp, cp) || length_ % cp != 0) continue;
        for (const int pp : divisors(gpus_ / tp / cp, gpus_)) {
          if (is_asked(asked_.pp, pp) && pp <= layers_) with_degrees(tp, cp, pp);
        }
      }
    }
    return std::move(ways_);
  }

 private:
  void with_degrees(int tp, int cp, int pp) {
    Parallelism way;
    way.tp = tp, way.cp = cp, way.pp = pp, way.dp = gpus_ / tp / cp / pp;
    way.sequence_parallel = tp > 1;
    if (!is_asked(asked_.dp, way.dp) || batch_ % way.dp != 0) return;
    for (const int etp : divisors(tp, tp)) {
      way.etp = etp;
      const bool possible = etp == tp || (etp == 1 && experts_);
      if (possible && (is_asked(asked_.etp, etp) || !experts_)) with_experts(way);
    }
  }

  void with_experts(Parallelism way) {
    const int gpus = way.tp * way.cp * way.dp / way.etp;
    for (const int ep : divisors(gpus, experts_ ? gpus : 1)) {
      way.ep = ep;
      if (!is_asked(asked_.ep, ep) || (experts_ && network_.shape->experts % ep != 0)) continue;
      for (const std::int64_t micro_batch : divisors(batch_ / way.dp, batch_)) {
        way.micro_batch = micro_batch;
        way.micro_batches = batch_ / way.dp / micro_batch;
        if (is_asked(asked_.micro_batch, micro_batch)) with_batches(way);
      }
    }
  }

  void with_batches(Parallelism way) {
    const auto parts = static_cast<int>((layers_ + way.pp - 1) / way.pp);  // of the fullest stage
    for (const int vp : divisors(parts, way.pp == 1 ? 1 : parts)) {
      way.vp = vp;
      const std::int64_t stages = std::int64_t{way.pp} * vp;
      if (!is_asked(asked_.vp, vp) || (stages > layers_ && (layers_ + 2) % stages != 0)) continue;
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::operators, Recompute::full}) {
        way.recompute = recompute;
        // Of what lies between the products of attention, which a fused kernel does not keep.
        const bool selects = network_.shape && !network_.shape->fused_attention;
        if (recompute == Recompute::selective && asked_.recompute.empty() && !selects) continue;
        if (recompute == Recompute::operators && asked_.recompute.empty()) continue;
        if (is_asked(asked_.recompute, recompute)) with_sharding(way);
      }
    }
  }

  void with_sharding(Parallelism way) {
    for (const Sharding sharding : {Sharding::none, Sharding::optimizer, Sharding::gradients, Sharding::all}) {
      way.sharding = sharding;
      const bool alone = way.dp * way.cp == 1 && sharding != Sharding::none && asked_.sharding.empty();
      if (alone || !is_asked(asked_.sharding, sharding) || !check(way)) continue;
      for (const Offload offload : asked_.offload) {
        way.offload = offload;
        for (const Dispatcher dispatcher : asked_.dispatcher) {
          way.dispatcher = way.ep > 1 ? dispatcher : Dispatcher::nccl;
          if (ways_.empty() || way != ways_.back()) ways_.push_back(way);
        }
      }
    }
  }

  const ParallelNetwork& network_;
  const GpuCluster& cluster_;
  int gpus_;
  std::int64_t batch_;
  const WaysAsked& asked_;
  std::int64_t layers_ = 1, heads_ = 1, length_ = 1;
  bool experts_ = false;
  std::vector<Parallelism> ways_;
};

// All that the blocks of a network depend on.
using BlocksKey = std::tuple<int, int, int, int, Dispatcher, bool, std::int64_t, Recompute>;

class Search {
 public:
  Search(const ParallelNetwork& network, const GpuCluster& cluster, const Gpu& gpu, const SearchOptions& options)
      : network_(network), cluster_(cluster), gpu_(gpu), options_(options) {}

  WayTried tried(const Parallelism& way) {
    WayTried one;
    one.way = one.step.way = way;
    const auto blocks = blocks_for(way);
    if (!*blocks) return impossible(one, blocks->error());
    const NetworkBlocks& known = **blocks;
    one.step.memory = rank_memory(known, way, options_.parallel.predict);
    if (one.step.memory.total() > gpu_.level("DRAM").capacity * options_.memory_share) {
      one.fate = WayFate::too_large;
      return one;
    }
    auto step = parallel_step(known, way, cluster_, gpu_, options_.parallel);
    if (!step) return impossible(one, step.error());
    one.step = *step;
    return one;
  }

 private:
  static WayTried impossible(WayTried one, const Error& error) {
    one.fate = WayFate::impossible;
    one.reason = error.text();
    return one;
  }

  // Two threads may both make them; they are equal.
  std::shared_ptr<const Result<NetworkBlocks>> blocks_for(const Parallelism& way) {
    const BlocksKey key = {way.tp,          way.cp,       way.ep, way.etp, way.dispatcher, way.sequence_parallel,
                           way.micro_batch, way.recompute};
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = blocks_.find(key); found != blocks_.end()) return found->second;
    }
    Parallelism alone = way;  // of any number of stages
    alone.pp = alone.vp = 1;
    auto made =
        std::make_shared<const Result<NetworkBlocks>>(blocks_of(network_, alone, gpu_, options_.parallel.predict));
    const std::lock_guard lock(mutex_);
    return blocks_.emplace(key, std::move(made)).first->second;
  }

  const ParallelNetwork& network_;
  const GpuCluster& cluster_;
  const Gpu& gpu_;
  const SearchOptions& options_;
  std::mutex mutex_;
  std::map<BlocksKey, std::shared_ptr<const Result<NetworkBlocks>>> blocks_;
};

bool before(const WayTried& a, const WayTried& b) {
  if (a.fate != b.fate) return a.fate < b.fate;
  if (a.fate == WayFate::fits && a.step.time != b.step.time) return a.step.time < b.step.time;
  return a.step.memory.total() < b.step.memory.total();
}

}  // namespace

std::vector<Parallelism> ways_of(const ParallelNetwork& network, const GpuCluster& cluster, int gpus,
                                 std::int64_t batch, const WaysAsked& asked) {
  return Ways(network, cluster, gpus, batch, asked).all();
}

std::vector<std::optional<WayTried>> try_ways(const ParallelNetwork& network, const std::vector<Parallelism>& ways,
                                              const GpuCluster& cluster, const Gpu& gpu, const SearchOptions& options) {
  Search search(network, cluster, gpu, options);
  std::vector<std::optional<WayTried>> tried(ways.size());
  std::atomic<std::size_t> next = 0, done = 0;
  on_threads(std::clamp<std::size_t>(ways.size(), 1, options.threads), [&](std::size_t) {
    for (std::size_t i = next++; i < ways.size(); i = next++) {
      if (options.stop != nullptr && *options.stop) return;
      tried[i] = search.tried(ways[i]);
      if (const std::size_t count = ++done; options.progress) options.progress(count, ways.size());
    }
  });
  return tried;
}

std::vector<WayTried> in_order(std::vector<std::optional<WayTried>> tried) {
  std::vector<WayTried> found;
  for (std::optional<WayTried>& one : tried) {
    if (one) found.push_back(std::move(*one));
  }
  std::stable_sort(found.begin(), found.end(), before);
  return found;
}

std::vector<WayTried> search_ways(const ParallelNetwork& network, const std::vector<Parallelism>& ways,
                                  const GpuCluster& cluster, const Gpu& gpu, const SearchOptions& options) {
  return in_order(try_ways(network, ways, cluster, gpu, options));
}

std::vector<std::size_t> front_of(const std::vector<WayTried>& tried) {
  std::vector<std::size_t> front;
  Bytes least(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < tried.size() && tried[i].fate == WayFate::fits; ++i) {
    if (tried[i].step.memory.total() >= least) continue;
    least = tried[i].step.memory.total();
    front.push_back(i);
  }
  return front;
}

}  // namespace rooftile
