// Ranks as threads of one process.
#include "rooftile/cluster/cluster_explore.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/cluster/test_space.hpp"
#include "rooftile/cluster/thread_rank.hpp"

namespace rooftile::cluster {
namespace {

struct Ended {
  Coordinated rank0;
  std::vector<Result<Finish>> others;
};

Ended run(std::size_t count, unsigned threads, const ExploreState& from, const std::atomic<bool>* stop = nullptr) {
  TestSpace test;
  test.options.threads = threads;
  test.options.stop = stop;
  const Exploration exploration = {test.space, *test.evaluator, test.options, test.fingerprint};
  std::vector<Mailbox> boxes(count);
  std::vector<std::thread> ranks;
  std::vector<Result<Finish>> others(count, Finish{.rank_lost = true});
  for (std::size_t r = 1; r < count; ++r) {
    ranks.emplace_back([&, r] {
      ThreadRank rank(boxes, r);
      others[r] = serve(exploration, rank, {});
    });
  }
  ThreadRank rank0(boxes, 0);
  Coordinated result = coordinate(exploration, from, rank0, {.chunk_time = 0.01}, {});
  for (std::thread& rank : ranks) rank.join();
  others.erase(others.begin());
  return {std::move(result), std::move(others)};
}

TEST(ClusterExplore, GivesTheSameBitsForAnyNumberOfRanksAndThreads) {
  const TestSpace test;
  const std::string expected = test.expected();
  for (const std::size_t count : {1U, 2U, 3U, 4U}) {
    for (const unsigned threads : {1U, 2U}) {
      const Ended ended = run(count, threads, test.nothing());
      ASSERT_TRUE(ended.rank0.state);
      EXPECT_EQ(results_bytes(ended.rank0.state->results), expected) << count << " x " << threads;
      EXPECT_FALSE(ended.rank0.rank_lost);
      for (const auto& other : ended.others) {
        ASSERT_TRUE(other);
        EXPECT_FALSE(other->rank_lost);
      }
    }
  }
}

TEST(ClusterExplore, StoppedOnAllRanksKeepsWhatIsDone) {
  const TestSpace test;
  const std::atomic<bool> stop = true;
  const Ended ended = run(3, 1, test.nothing(), &stop);
  ASSERT_TRUE(ended.rank0.state);
  EXPECT_LT(ended.rank0.state->done.count(), blocks_of(test.space));
  const Ended rest = run(2, 1, *ended.rank0.state);
  EXPECT_EQ(results_bytes(rest.rank0.state->results), test.expected());
}

}  // namespace
}  // namespace rooftile::cluster
