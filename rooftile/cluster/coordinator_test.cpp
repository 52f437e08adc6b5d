// Ranks that die, answer twice, late or with garbage: the result is that of one thread, to the bit.
#include "rooftile/cluster/coordinator.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/cluster/test_space.hpp"

namespace rooftile::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TestSpace& test_space() {
  static const TestSpace space;
  return space;
}

// What rank 0 sends, as the ranks find it.
class Outbox : public Transport {
 public:
  explicit Outbox(std::size_t ranks) : to_(ranks) {}
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return to_.size(); }
  void send(std::size_t to, MessageKind kind, std::string bytes) override {
    to_[to].push_back({0, kind, std::move(bytes)});
  }
  std::optional<Message> receive() override { return std::nullopt; }
  std::deque<Message>& to(std::size_t rank) { return to_[rank]; }

 private:
  std::vector<std::deque<Message>> to_;
};

// A rank that takes a while over each chunk. How it misbehaves is up to each test.
struct StandInRank {
  double chunk_time = 0.3;
  std::function<bool(double now)> silent = [](double) { return false; };
  // What it sends for its n-th chunk.
  std::function<std::vector<std::string>(int n, std::string done)> answer = [](int, std::string done) {
    return std::vector{std::move(done)};
  };
  Fingerprint fingerprint = test_space().fingerprint;

  bool greeted = false, told_to_finish = false;
  int chunks = 0;
  double spoken = 0;
  std::deque<std::pair<double, Work>> begun = {};  // and when each is done
};

struct Rehearsal {
  explicit Rehearsal(std::size_t count) : ranks(count), outbox(count) {}

  // In steps of a tenth of a second until rank 0 has finished, `stop_at` included.
  void go(std::optional<double> stop_at = {}) {
    now = 0;
    coordinator.emplace(test_space().space, test_space().options.results, test_space().fingerprint, from, outbox,
                        CoordinatorSettings{.chunk_time = 1}, now,
                        [&](const std::string& line) { lines.push_back(line); });
    constexpr double kStep = 0.1, kLongest = 1000;
    for (; now < kLongest && !coordinator->finished(now); now += kStep) {
      if (stop_at && now >= *stop_at) coordinator->stop(now);
      for (std::size_t r = 0; r < ranks.size(); ++r) step(r);
      coordinator->tick(now);
    }
  }

  void step(std::size_t r) {
    StandInRank& rank = ranks[r];
    if (rank.silent(now)) return;
    if (!rank.greeted) say(r, MessageKind::hello, bytes_of(Hello{"node", 1, rank.fingerprint}));
    rank.greeted = true;
    for (; !outbox.to(r).empty(); outbox.to(r).pop_front()) {
      if (outbox.to(r).front().kind == MessageKind::finish) rank.told_to_finish = true;
      if (outbox.to(r).front().kind != MessageKind::work) continue;
      rank.begun.emplace_back(now + rank.chunk_time, *read_work(outbox.to(r).front().bytes));
    }
    for (; !rank.begun.empty() && rank.begun.front().first <= now; rank.begun.pop_front()) {
      const Work work = rank.begun.front().second;
      const std::string done = bytes_of(Done{work.chunk, work.blocks.count(), test_space().expected(work.blocks)});
      for (const std::string& bytes : rank.answer(rank.chunks++, done)) say(r, MessageKind::done, bytes);
    }
    if (now - rank.spoken >= 1) say(r, MessageKind::alive, {});
  }

  void say(std::size_t r, MessageKind kind, const std::string& bytes) {
    ranks[r].spoken = now;
    coordinator->handle({r, kind, bytes}, now);
  }

  std::string results() const { return results_bytes(coordinator->state().results); }

  ExploreState from = test_space().nothing();
  std::vector<StandInRank> ranks;
  Outbox outbox;
  std::optional<Coordinator> coordinator;
  std::vector<std::string> lines;
  double now = 0;
};

TEST(Coordinator, GivesTheSameBitsForAnyNumberOfRanks) {
  const std::string expected = test_space().expected();
  for (std::size_t count = 1; count <= 5; ++count) {
    Rehearsal run(count);
    run.go();
    EXPECT_EQ(run.coordinator->error(), std::nullopt);
    EXPECT_EQ(run.results(), expected) << count << " ranks";
    EXPECT_FALSE(run.coordinator->rank_lost());
    for (const StandInRank& rank : run.ranks) EXPECT_GT(rank.chunks, 0);
  }
}

TEST(Coordinator, GivesFasterRanksMore) {
  Rehearsal run(2);
  run.ranks[1].chunk_time = 3;
  run.go();
  EXPECT_GT(run.ranks[0].chunks, 2 * run.ranks[1].chunks);
  EXPECT_EQ(run.results(), test_space().expected());
}

TEST(Coordinator, GivesTheChunkOfADeadRankToOthers) {
  for (const double death : {0.05, 0.25, 0.65}) {
    Rehearsal run(3);
    run.ranks[1].silent = [death](double now) { return now > death; };
    run.go();
    EXPECT_EQ(run.coordinator->error(), std::nullopt);
    EXPECT_EQ(run.results(), test_space().expected()) << death;
    EXPECT_TRUE(run.coordinator->rank_lost());
    ASSERT_THAT(run.lines, ElementsAre(HasSubstr("rank 1 (node) has been silent for 30 s")));
    EXPECT_LT(run.now, 40);
  }
}

TEST(Coordinator, NeedsNoRankThatNeverCame) {
  Rehearsal run(3);
  run.ranks[2].silent = [](double) { return true; };
  run.go();
  EXPECT_EQ(run.results(), test_space().expected());
  EXPECT_LT(run.now, 30);
}

TEST(Coordinator, CountsNoChunkTwiceIfARankAnswersTwice) {
  Rehearsal run(2);
  run.ranks[1].answer = [](int, const std::string& done) { return std::vector{done, done}; };
  run.go();
  EXPECT_EQ(run.results(), test_space().expected());
}

TEST(Coordinator, CountsNoChunkTwiceIfARankComesBackWithIt) {
  Rehearsal run(2);
  run.ranks[0].chunk_time = 20;
  run.ranks[1].silent = [](double now) { return now > 0.1 && now < 45; };
  run.go();
  EXPECT_EQ(run.results(), test_space().expected());
  EXPECT_THAT(run.lines, ElementsAre(HasSubstr("has been silent"), "rank 1 (node) is back"));
  EXPECT_GT(run.ranks[1].chunks, 1) << "it gets work again";
  EXPECT_FALSE(run.coordinator->rank_lost());
}

TEST(Coordinator, TakesNothingThatCannotBeRead) {
  std::size_t place = 0;
  Rehearsal run(2);
  run.ranks[1].answer = [&](int, std::string done) {
    place = (place + 37) % done.size();
    done[place] = static_cast<char>(done[place] ^ 4);
    return std::vector{done};
  };
  run.go();
  EXPECT_EQ(run.results(), test_space().expected());
  EXPECT_EQ(run.ranks[1].chunks, 3);
  EXPECT_THAT(run.lines, ElementsAre(HasSubstr("rank 1 (node) sends unreadable messages")));
}

TEST(Coordinator, TakesNoResultsOfOtherBlocksThanTheChunkHas) {
  Rehearsal run(2);
  run.ranks[1].answer = [&](int n, const std::string& done) {
    const Done own = *read_done(done);
    if (n == 0) return std::vector{bytes_of(Done{own.chunk, own.blocks + 1000, own.results})};
    if (n == 1) return std::vector{bytes_of(Done{own.chunk, own.blocks - 1, own.results})};
    return std::vector{done};
  };
  run.go();
  EXPECT_EQ(run.results(), test_space().expected());
}

TEST(Coordinator, EndsIfARankWouldComputeOtherNumbers) {
  Rehearsal run(3);
  run.ranks[2].fingerprint.parts.back().value = "0123456789abcdef";
  run.go();
  ASSERT_TRUE(run.coordinator->error());
  EXPECT_EQ(run.coordinator->error()->text(),
            "rank 2 (node): does not match rank 0: it has different times and costs of designs");
}

TEST(Coordinator, EndsWithTheErrorOfARank) {
  Rehearsal run(2);
  run.ranks[1].silent = [&](double now) {
    if (now > 0.15 && !run.coordinator->error()) {
      run.say(1, MessageKind::failed, bytes_of(Failed{"node7", {ErrorCode::io, "No such file", "space.toml"}}));
    }
    return true;
  };
  run.go();
  ASSERT_TRUE(run.coordinator->error());
  EXPECT_EQ(run.coordinator->error()->text(), "rank 1 (node7): space.toml: No such file");
}

TEST(Coordinator, EndsWhenNoRankIsLeft) {
  Rehearsal run(2);
  for (StandInRank& rank : run.ranks) rank.silent = [](double now) { return now > 0.1; };
  run.go();
  ASSERT_TRUE(run.coordinator->error());
  EXPECT_EQ(run.coordinator->error()->text(), "no working rank is left");
}

TEST(Coordinator, StoppedKeepsWhatCameAndGoesOnToTheSameBits) {
  Rehearsal stopped(3);
  stopped.go(0.75);
  const ExploreState& state = stopped.coordinator->state();
  EXPECT_GT(state.done.count(), 0U);
  EXPECT_LT(state.done.count(), blocks_of(test_space().space));
  EXPECT_EQ(state.results.designs, designs_of(test_space().space, state.done));
  EXPECT_LT(stopped.now, 1.5);
  for (const StandInRank& rank : stopped.ranks) EXPECT_TRUE(rank.told_to_finish);

  Rehearsal rest(2);
  rest.from = state;
  rest.go();
  EXPECT_EQ(rest.results(), test_space().expected());
  EXPECT_EQ(rest.coordinator->state().done, BlockSet(BlockRange{0, blocks_of(test_space().space)}));
}

}  // namespace
}  // namespace rooftile::cluster
