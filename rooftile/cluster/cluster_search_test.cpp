// Ranks as threads of one process.
#include "rooftile/cluster/cluster_search.hpp"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/cluster/messages.hpp"
#include "rooftile/cluster/thread_rank.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile::cluster {
namespace {

class ClusterSearchTest : public ::testing::Test {
 protected:
  ClusterSearchTest() {
    options.parallel.predict.precision = DType::bf16;
    options.parallel.predict.training = true;
    options.parallel.style = style_of("");
  }

  // Rank 0's part beside threads that run the others.
  template <class Other>
  SearchedByRanks run(std::size_t count, double patience, const Other& other) {
    std::vector<Mailbox> boxes(count);
    std::vector<std::thread> ranks;
    for (std::size_t r = 1; r < count; ++r) {
      ranks.emplace_back([&, r] {
        ThreadRank rank(boxes, r);
        other(rank);
      });
    }
    ThreadRank rank0(boxes, 0);
    auto searched = search_by_ranks(search, fingerprint, rank0, patience, {});
    for (std::thread& rank : ranks) rank.join();
    return searched;
  }

  void expect_all(const SearchedByRanks& searched) const {
    const auto alone = search_ways(network, ways, cluster, gpu, options);
    ASSERT_TRUE(searched.tried);
    ASSERT_EQ(searched.tried->size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const WayTried& one = (*searched.tried)[i];
      EXPECT_EQ(one.way, alone[i].way) << i;
      EXPECT_EQ(one.fate, alone[i].fate);
      EXPECT_EQ(one.step.time, alone[i].step.time);
      EXPECT_EQ(one.step.memory.total(), alone[i].step.memory.total());
      EXPECT_EQ(one.reason, alone[i].reason);
    }
  }

  ParallelNetwork network = parallel_network({.model = "gpt2", .batch = {}, .seq_len = {}}).value();
  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  std::vector<Parallelism> ways = ways_of(network, cluster, 8, 16, {.cp = {1}});
  SearchOptions options;
  WaySearch search = {network, ways, cluster, gpu, options};
  Fingerprint fingerprint = search.fingerprint("1");
};

TEST_F(ClusterSearchTest, FindsTheSameForAnyNumberOfRanks) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    const auto searched = run(count, 30, [&](Transport& rank) {
      const auto finish = help_search(search, fingerprint, rank, {});
      ASSERT_TRUE(finish);
      EXPECT_FALSE(finish->rank_lost);
    });
    EXPECT_FALSE(searched.rank_lost);
    expect_all(searched);
  }
}

TEST_F(ClusterSearchTest, ALostRanksShareIsDoneByTheFirst) {
  const auto searched = run(3, 0.2, [&](Transport& rank) {
    if (rank.rank() != 1) return;
    EXPECT_TRUE(help_search(search, fingerprint, rank, {}).has_value());
  });
  EXPECT_TRUE(searched.rank_lost);
  expect_all(searched);
}

TEST_F(ClusterSearchTest, ARankThatWouldSearchOtherwiseEndsIt) {
  const auto searched = run(2, 30, [&](Transport& rank) {
    Fingerprint other = fingerprint;
    other.parts[1].value = "gpt2_xl";
    (void)help_search(search, other, rank, {});
  });
  ASSERT_FALSE(searched.tried);
  EXPECT_THAT(searched.tried.error().text(),
              ::testing::AllOf(::testing::StartsWith("rank 1 on "),
                               ::testing::EndsWith("different model (gpt2_xl, not gpt2)")));
}

TEST_F(ClusterSearchTest, AnErrorOfARankEndsIt) {
  const auto searched = run(2, 30, [&](Transport& rank) {
    report_failure(rank, {"there", Error{ErrorCode::io, "no such file", "gpt2"}});
  });
  ASSERT_FALSE(searched.tried);
  EXPECT_EQ(searched.tried.error().message, "no such file");
}

}  // namespace
}  // namespace rooftile::cluster
