#include "rooftile/cluster/coordinator.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/explore/results_bytes.hpp"

namespace rooftile::cluster {

Coordinator::Coordinator(const DesignSpace& space, const ResultOptions& results, Fingerprint fingerprint,
                         ExploreState state, Transport& transport, CoordinatorSettings settings, double now,
                         std::function<void(const std::string&)> notice)
    : space_(space),
      options_(results),
      fingerprint_(std::move(fingerprint)),
      state_(std::move(state)),
      to_do_(state_.done.others(blocks_of(space))),
      ranks_(transport.size()),
      transport_(transport),
      settings_(settings),
      notice_(std::move(notice)) {
  for (Rank& rank : ranks_) rank.heard = rank.spoken = now;
}

void Coordinator::say(const std::string& line) const {
  if (notice_) notice_(line);
}

std::string Coordinator::name_of_rank(std::size_t rank) const {
  const std::string& host = ranks_[rank].host;
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, one_line(host));
}

void Coordinator::send(std::size_t rank, MessageKind kind, std::string bytes, double now) {
  ranks_[rank].spoken = now;
  transport_.send(rank, kind, std::move(bytes));
}

void Coordinator::handle(const Message& message, double now) {
  if (message.rank >= ranks_.size()) return;
  hear(message.rank, now);
  switch (message.kind) {
    case MessageKind::hello:
      hello(message.rank, message.bytes);
      break;
    case MessageKind::done:
      done(message.rank, message.bytes, now);
      break;
    case MessageKind::failed:
      failed(message.rank, message.bytes);
      break;
    case MessageKind::alive:
      break;
    case MessageKind::work:
    case MessageKind::finish:
      unreadable(message.rank);  // only rank 0 sends these
      break;
  }
  hand_out(now);
}

// A word from a rank. One that was lost and is back has lost its chunk, which is another's by now.
void Coordinator::hear(std::size_t rank, double now) {
  ranks_[rank].heard = now;
  if (ranks_[rank].standing != Standing::lost) return;
  ranks_[rank].standing = Standing::idle;
  say(fmt::format("{} is back", name_of_rank(rank)));
}

void Coordinator::hello(std::size_t rank, const std::string& bytes) {
  const auto hello = read_hello(bytes);
  if (!hello) return unreadable(rank);
  ranks_[rank].host = hello->host;
  ranks_[rank].threads = hello->threads;
  if (const auto other = difference(fingerprint_, hello->fingerprint)) {
    if (!error_) {
      error_ = Error{ErrorCode::bad_input, fmt::format("does not match rank 0: it has {}", *other), name_of_rank(rank)};
    }
    return;
  }
  if (ranks_[rank].standing == Standing::unknown) ranks_[rank].standing = Standing::idle;
}

void Coordinator::done(std::size_t rank, const std::string& bytes, double now) {
  const auto done = read_done(bytes);
  if (!done) return unreadable(rank);
  Rank& from = ranks_[rank];
  // A chunk that was given up, or is here already, is another's work by now.
  if (from.standing != Standing::busy || from.chunk != done->chunk) return;
  const BlockRange chunk = chunks_.at(done->chunk);
  if (done->blocks > chunk.count()) return unreadable(rank);
  const BlockRange blocks = {chunk.first, chunk.first + done->blocks};
  auto results = read_results(done->results, space_, options_);
  if (!results || results->designs != designs_of(space_, blocks)) return unreadable(rank);
  state_.results.merge(*results);
  state_.done.add(blocks);
  to_do_.add(BlockRange{blocks.end, chunk.end});
  chunks_.erase(done->chunk);
  from.standing = Standing::idle;
  from.last_blocks = done->blocks;
  constexpr double kLeastTime = 1e-6;
  from.blocks_per_second = static_cast<double>(done->blocks) / std::max(now - from.begun, kLeastTime);
}

void Coordinator::failed(std::size_t rank, const std::string& bytes) {
  const auto failed = read_failed(bytes);
  if (!failed) return unreadable(rank);
  if (ranks_[rank].host.empty()) ranks_[rank].host = failed->host;
  if (!error_) error_ = Error{failed->error.code, failed->error.text(), name_of_rank(rank)};
}

void Coordinator::give_up_chunk(Rank& rank) {
  const auto chunk = chunks_.find(rank.chunk);
  if (rank.standing != Standing::busy || chunk == chunks_.end()) return;
  to_do_.add(chunk->second);
  chunks_.erase(chunk);
}

// What such a rank computes may be as wrong as what it says, but for once.
void Coordinator::unreadable(std::size_t rank) {
  constexpr unsigned kMost = 3;
  Rank& from = ranks_[rank];
  give_up_chunk(from);
  if (from.standing == Standing::busy) from.standing = Standing::idle;
  if (++from.unreadable < kMost || from.standing == Standing::unusable) return;
  from.standing = Standing::unusable;
  say(fmt::format("{} sends unreadable messages and gets no more work", name_of_rank(rank)));
}

void Coordinator::tick(double now) {
  bool any = false;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    const bool works = rank.standing == Standing::idle || rank.standing == Standing::busy;
    if (works && now - rank.heard > settings_.patience) {
      say(fmt::format("{} has been silent for {:.0f} s; its work goes to others", name_of_rank(r), now - rank.heard));
      give_up_chunk(rank);
      rank.standing = Standing::lost;
    }
    any = any || (rank.standing != Standing::lost && rank.standing != Standing::unusable);
    if (now - rank.spoken >= settings_.alive_every) send(r, MessageKind::alive, {}, now);
  }
  if (!any && !error_) error_ = Error{ErrorCode::io, "no working rank is left", ""};
  hand_out(now);
}

std::uint64_t Coordinator::chunk_blocks(const Rank& rank) const {
  constexpr std::uint64_t kFirst = 4, kGrowth = 8;  // blocks a thread; a chunk against the one before
  std::size_t working = 0;
  for (const Rank& other : ranks_) {
    working += other.standing == Standing::idle || other.standing == Standing::busy ? 1 : 0;
  }
  std::uint64_t blocks = kFirst * rank.threads;
  if (rank.blocks_per_second > 0) {
    const double time = std::max(settings_.chunk_time, static_cast<double>(working) / settings_.merges_per_second);
    const double wanted = std::min(rank.blocks_per_second * time, static_cast<double>(kGrowth * rank.last_blocks));
    blocks = static_cast<std::uint64_t>(wanted);
  }
  // Smaller ones towards the end, so that all ranks end together.
  const std::uint64_t share = to_do_.count() / (2 * std::max<std::size_t>(working, 1));
  return std::max(std::min(blocks, share), rank.threads);
}

void Coordinator::hand_out(double now) {
  if (stopped_ || error_) return;
  for (std::size_t r = 0; r < ranks_.size() && !to_do_.empty(); ++r) {
    Rank& rank = ranks_[r];
    if (rank.standing != Standing::idle) continue;
    const Work work = {next_chunk_++, to_do_.take(chunk_blocks(rank))};
    chunks_.emplace(work.chunk, work.blocks);
    rank.standing = Standing::busy;
    rank.chunk = work.chunk;
    rank.begun = now;
    send(r, MessageKind::work, bytes_of(work), now);
  }
}

void Coordinator::stop(double now) {
  if (stopped_) return;
  stopped_ = now;
  send_finish();
}

bool Coordinator::finished(double now) const {
  if (error_) return true;
  if (chunks_.empty() && (to_do_.empty() || stopped_)) return true;
  return stopped_ && now - *stopped_ > settings_.stop_patience;
}

bool Coordinator::rank_lost() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.standing == Standing::lost; });
}

void Coordinator::send_finish() {
  if (finish_sent_) return;
  finish_sent_ = true;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    transport_.send(r, MessageKind::finish, bytes_of(Finish{.rank_lost = rank_lost()}));
  }
}

}  // namespace rooftile::cluster
