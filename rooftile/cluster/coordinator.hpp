// Rank 0's part: hands out chunks of blocks, merges what comes back, and gives what a lost rank had to others.
//
// A state machine without a clock or threads of its own: the caller brings messages and the time. Ranks are asked for
// nothing but their work, so that losing one costs its chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cluster/messages.hpp"
#include "rooftile/cluster/transport.hpp"
#include "rooftile/explore/checkpoint.hpp"

namespace rooftile::cluster {

struct CoordinatorSettings {
  double patience = 30;   // seconds without a word after which a rank counts as lost
  double chunk_time = 1;  // seconds that a chunk is to take, and no less than so many merges a second allow:
  double merges_per_second = 20;
  double alive_every = 1;      // seconds between two words to a rank
  double stop_patience = 0.5;  // seconds that chunks begun are waited for when stopped
};

class Coordinator {
 public:
  // Goes on from `state`; `space` and `results` are those of its fingerprint and must outlive this. `notice` gets lines
  // for a person: which rank is lost, which is back.
  Coordinator(const DesignSpace& space, const ResultOptions& results, Fingerprint fingerprint, ExploreState state,
              Transport& transport, CoordinatorSettings settings, double now,
              std::function<void(const std::string&)> notice = {});

  void handle(const Message& message, double now);
  // What time brings: ranks that are lost, words that they wait for.
  void tick(double now);
  // No more work: chunks begun may still come, as far as they are.
  void stop(double now);

  // Everything is done, or all that will be since stop(), or there is an error.
  bool finished(double now) const;
  // An error of a rank, a rank that would compute other numbers, or no rank left.
  const std::optional<Error>& error() const { return error_; }
  // To each rank, once: stop() does, else the caller after finished().
  void send_finish();
  // Some rank was lost and is not back.
  bool rank_lost() const;

  const ExploreState& state() const { return state_; }
  ExploreState take_state() { return std::move(state_); }

 private:
  enum class Standing { unknown, idle, busy, lost, unusable };
  struct Rank {
    Standing standing = Standing::unknown;  // until it says hello
    double heard = 0, spoken = 0;
    std::string host = {};
    std::uint64_t threads = 1;
    std::uint64_t chunk = 0;        // of a busy one
    double begun = 0;               // when it got that
    double blocks_per_second = 0;   // of its last chunk; zero: none yet
    std::uint64_t last_blocks = 0;  // of its last chunk
    unsigned unreadable = 0;        // messages
  };

  void hear(std::size_t rank, double now);
  void hello(std::size_t rank, const std::string& bytes);
  void done(std::size_t rank, const std::string& bytes, double now);
  void failed(std::size_t rank, const std::string& bytes);
  void unreadable(std::size_t rank);
  void give_up_chunk(Rank& rank);
  void hand_out(double now);
  std::uint64_t chunk_blocks(const Rank& rank) const;
  void send(std::size_t rank, MessageKind kind, std::string bytes, double now);
  std::string name_of_rank(std::size_t rank) const;
  void say(const std::string& line) const;

  const DesignSpace& space_;
  const ResultOptions& options_;
  Fingerprint fingerprint_;
  ExploreState state_;
  BlockSet to_do_;
  std::map<std::uint64_t, BlockRange> chunks_;  // handed out
  std::uint64_t next_chunk_ = 1;
  std::vector<Rank> ranks_;
  Transport& transport_;
  CoordinatorSettings settings_;
  std::function<void(const std::string&)> notice_;
  std::optional<double> stopped_;
  bool finish_sent_ = false;
  std::optional<Error> error_;
};

}  // namespace rooftile::cluster
