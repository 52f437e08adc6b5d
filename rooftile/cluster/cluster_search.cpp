#include "rooftile/cluster/cluster_search.hpp"

#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "rooftile/cluster/clock.hpp"
#include "rooftile/cluster/cluster_explore.hpp"
#include "rooftile/cluster/messages.hpp"

namespace rooftile::cluster {
namespace {

// A way as ranks of one program tell it; why one is impossible rank 0 finds out again.
struct ToldWay {
  std::uint64_t index = 0;
  WayFate fate = WayFate::fits;
  ParallelStep step;
};
static_assert(std::is_trivially_copyable_v<ToldWay>);

// Every n-th way of n ranks: neighbours take about as long as each other.
std::vector<std::size_t> share_of(std::size_t ways, std::size_t rank, std::size_t ranks) {
  std::vector<std::size_t> share;
  for (std::size_t i = rank; i < ways; i += ranks) share.push_back(i);
  return share;
}

std::vector<ToldWay> try_share(const WaySearch& search, const std::vector<std::size_t>& share,
                               const SearchOptions& options) {
  std::vector<Parallelism> ways;
  for (const std::size_t i : share) ways.push_back(search.ways[i]);
  const auto tried = try_ways(search.network, ways, search.cluster, search.gpu, options);
  std::vector<ToldWay> told;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (tried[i]) told.push_back({share[i], tried[i]->fate, tried[i]->step});
  }
  return told;
}

std::string bytes_of(const std::vector<ToldWay>& told) {
  std::string bytes(told.size() * sizeof(ToldWay), '\0');
  if (!told.empty()) std::memcpy(bytes.data(), told.data(), bytes.size());
  return bytes;
}

std::vector<ToldWay> told_ways(const std::string& bytes) {
  std::vector<ToldWay> told(bytes.size() / sizeof(ToldWay));
  if (!told.empty()) std::memcpy(told.data(), bytes.data(), told.size() * sizeof(ToldWay));
  return told;
}

class FirstRank {
 public:
  FirstRank(const WaySearch& search, const Fingerprint& fingerprint, Transport& ranks, double patience,
            const std::function<void(const std::string&)>& notice)
      : search_(search),
        fingerprint_(fingerprint),
        ranks_(ranks),
        patience_(patience),
        notice_(notice),
        others_(ranks.size()),
        found_(search.ways.size()) {
    for (Rank& other : others_) other.heard = seconds_now();
  }

  SearchedByRanks run() {
    do_share(0);
    while (!error_ && !stopped() && any_working()) {
      listen();
      for (std::size_t rank = 1; rank < others_.size(); ++rank) {
        if (others_[rank].working && seconds_now() - others_[rank].heard > patience_) lose(rank);
      }
    }
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      ranks_.send(rank, MessageKind::finish, cluster::bytes_of(Finish{.rank_lost = lost_}));
    }
    if (error_) return {tl::unexpected(*error_), lost_};
    return {in_order(std::move(found_)), lost_};
  }

 private:
  struct Rank {
    bool working = true;
    double heard = 0;
    std::string host = {};
  };

  bool stopped() const { return search_.options.stop != nullptr && *search_.options.stop; }

  bool any_working() const {
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      if (others_[rank].working) return true;
    }
    return false;
  }

  // Meanwhile the others are listened to.
  void do_share(std::size_t rank) {
    const auto share = share_of(search_.ways.size(), rank, others_.size());
    auto own = std::async(std::launch::async, [&] { return try_share(search_, share, search_.options); });
    while (own.wait_for(kIdle) != std::future_status::ready) listen();
    take(own.get());
  }

  void take(const std::vector<ToldWay>& told) {
    for (const ToldWay& way : told) {
      if (way.index >= found_.size()) continue;
      WayTried& tried = found_[way.index].emplace();
      tried.way = search_.ways[way.index];
      tried.fate = way.fate;
      tried.step = way.step;
      if (way.fate == WayFate::impossible) {
        tried = *try_ways(search_.network, {tried.way}, search_.cluster, search_.gpu, search_.options).front();
      }
    }
  }

  void listen() {
    constexpr double kAliveEvery = 1;
    if (seconds_now() - spoken_ > kAliveEvery) {
      spoken_ = seconds_now();
      for (std::size_t rank = 1; rank < others_.size(); ++rank) ranks_.send(rank, MessageKind::alive, {});
    }
    const auto message = ranks_.receive();
    if (!message) {
      std::this_thread::sleep_for(kIdle);
      return;
    }
    Rank& from = others_[message->rank];
    from.heard = seconds_now();
    if (message->kind == MessageKind::hello) greet(message->rank, message->bytes);
    if (message->kind == MessageKind::failed) {
      const auto failed = read_failed(message->bytes);
      error_ = failed ? failed->error : Error{ErrorCode::io, "sent nonsense", name_of_rank(message->rank)};
    }
    if (message->kind != MessageKind::done || !from.working) return;
    if (const auto done = read_done(message->bytes)) {
      take(told_ways(done->results));
      from.working = false;
    }
  }

  void greet(std::size_t rank, const std::string& bytes) {
    const auto hello = read_hello(bytes);
    if (!hello) return;
    others_[rank].host = hello->host;
    if (const auto other = difference(fingerprint_, hello->fingerprint)) {
      error_ = Error{ErrorCode::bad_input, "does not match rank 0: it has " + *other, name_of_rank(rank)};
      return;
    }
    ranks_.send(rank, MessageKind::work, cluster::bytes_of(Work{rank, {rank, rank + 1}}));
  }

  void lose(std::size_t rank) {
    lost_ = true;
    others_[rank].working = false;
    if (notice_) notice_(fmt::format("{} is lost; rank 0 does its share", name_of_rank(rank)));
    do_share(rank);
  }

  std::string name_of_rank(std::size_t rank) const {
    return others_[rank].host.empty() ? fmt::format("rank {}", rank)
                                      : fmt::format("rank {} on {}", rank, others_[rank].host);
  }

  const WaySearch& search_;
  const Fingerprint& fingerprint_;
  Transport& ranks_;
  double patience_;
  const std::function<void(const std::string&)>& notice_;
  std::vector<Rank> others_;
  std::vector<std::optional<WayTried>> found_;
  double spoken_ = 0;
  bool lost_ = false;
  std::optional<Error> error_;
};

}  // namespace

Fingerprint WaySearch::fingerprint(std::string_view version) const {
  Fingerprint print;
  print.parts = {{"program version", std::string(version)},
                 {"model", network.name},
                 {"cluster", cluster.id},
                 {"GPU", gpu.id},
                 {"number of ways", std::to_string(ways.size())}};
  // Files that differ show in times.
  if (!ways.empty()) {
    const auto tried = try_ways(network, {ways.front()}, cluster, gpu, options).front();
    const double bytes = tried ? tried->step.memory.total().value() : 0, time = tried ? tried->step.time.value() : 0;
    print.parts.push_back({"result of the first way", fmt::format("{:.17g} {:.17g}", bytes, time)});
  }
  return print;
}

SearchedByRanks search_by_ranks(const WaySearch& search, const Fingerprint& fingerprint, Transport& ranks,
                                double patience, const std::function<void(const std::string&)>& notice) {
  return FirstRank(search, fingerprint, ranks, patience, notice).run();
}

Result<Finish> help_search(const WaySearch& search, const Fingerprint& fingerprint, Transport& ranks,
                           const WorkerSettings& settings) {
  const std::atomic<bool> never = false;
  const std::atomic<bool>& interrupted = search.options.stop != nullptr ? *search.options.stop : never;
  const Compute compute = [&](BlockRange blocks, const std::atomic<bool>& stop) -> Result<Part> {
    SearchOptions options = search.options;
    options.stop = &stop;
    options.progress = {};
    const auto share = share_of(search.ways.size(), blocks.first, ranks.size());
    return Part{blocks.count(), bytes_of(try_share(search, share, options))};
  };
  return work_for(ranks, {host_name(), search.options.threads, fingerprint}, compute, interrupted, settings);
}

}  // namespace rooftile::cluster
