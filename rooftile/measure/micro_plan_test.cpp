#include "rooftile/measure/micro_plan.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(WorkingSets, FourToAnOctaveAndEightNearACapacity) {
  EXPECT_THAT(working_sets(1024, 4096, 2, {}, 128), testing::ElementsAre(1024, 1408, 2048, 2944, 4096));
  // 8 KiB and more is more than twice the capacity of 2 KiB away.
  EXPECT_THAT(working_sets(2048, 16384, 1, {2048}, 128), testing::ElementsAre(2048, 2944, 4096, 8192, 16384));
}

TEST(WorkingSets, AreWholeAscendingAndWithinTheirBounds) {
  const auto sets = working_sets(1024, std::uint64_t{4} << 30, 4, {256 << 10, 50 << 20}, 128);
  EXPECT_GE(sets.size(), 22U * 4);
  EXPECT_LE(sets.size(), 22U * 4 + 2 * 2 * 4 + 2);
  EXPECT_TRUE(std::is_sorted(sets.begin(), sets.end()));
  EXPECT_EQ(std::adjacent_find(sets.begin(), sets.end()), sets.end());
  for (const std::uint64_t bytes : sets) {
    EXPECT_EQ(bytes % 128, 0U);
  }
  EXPECT_EQ(sets.front(), 1024U);
  EXPECT_EQ(sets.back(), std::uint64_t{4} << 30);
}

TEST(WorkingSets, NoneWhereTheBoundsCross) { EXPECT_TRUE(working_sets(4096, 1024, 4, {}, 128).empty()); }

TEST(ChaseOrder, VisitsEachLineOnce) {
  const auto order = chase_order(1000, 1 << 20, 1);
  EXPECT_EQ(order.size(), 1000U);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 1000U);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 999U);
}

TEST(ChaseOrder, IsRandom) {
  const auto order = chase_order(1000, 1 << 20, 1);
  int next_lines = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    next_lines += order[i + 1] == order[i] + 1 ? 1 : 0;
  }
  EXPECT_LE(next_lines, 8);  // one is expected
  EXPECT_NE(order, chase_order(1000, 1 << 20, 2));
  EXPECT_EQ(order, chase_order(1000, 1 << 20, 1));
}

TEST(ChaseOrder, OneLineOfEachGroupWhereThereAreTooMany) {
  auto order = chase_order(1000, 100, 1);
  ASSERT_EQ(order.size(), 100U);
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(order[i] / 10, i);
  }
}

TEST(ChaseOrder, FewLines) {
  EXPECT_TRUE(chase_order(0, 100, 1).empty());
  EXPECT_THAT(chase_order(1, 100, 1), testing::ElementsAre(0));
}

TEST(Pattern, SumsAreThoseOfItsWords) {
  std::uint32_t sum = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(pattern_sum(i), sum) << i;
    EXPECT_NE(pattern_word(i), 0U);
    sum += pattern_word(i);
  }
  EXPECT_EQ(pattern_sum(0), 0U);
}

TEST(Pattern, WordsBeyond32BitsRepeat) {
  EXPECT_EQ(pattern_word(std::uint64_t{1} << 32), pattern_word(0));
  EXPECT_EQ(pattern_sum((std::uint64_t{1} << 32) + 1), pattern_sum(std::uint64_t{1} << 32) + pattern_word(0));
}

TEST(Walk, SumsWhatEachWarpReads) {
  for (const std::uint64_t walkers : {1, 3, 8}) {
    for (const std::uint64_t segments : {1, 2, 7, 40}) {
      for (const std::uint64_t steps : {0, 1, 5, 21}) {
        std::uint32_t sum = 0;
        for (std::uint64_t warp = 0; warp < walkers; ++warp) {
          for (std::uint64_t step = 0; step < steps; ++step) {
            const std::uint64_t segment = (warp + step * walkers) % segments;
            sum += pattern_sum((segment + 1) * segment_words) - pattern_sum(segment * segment_words);
          }
        }
        EXPECT_EQ(walk_sum(walkers, steps, segments), sum) << walkers << " " << segments << " " << steps;
      }
    }
  }
}

TEST(GrownSteps, ReachTheTargetWithinBounds) {
  EXPECT_EQ(grown_steps(100, 1e-3, 2e-3, 1000), 200U);
  EXPECT_EQ(grown_steps(100, 5e-3, 2e-3, 1000), 100U);
  EXPECT_EQ(grown_steps(100, 1e-6, 2e-3, 1000), 1000U);
  EXPECT_EQ(grown_steps(100, 0, 2e-3, 1000), 1000U);
  EXPECT_EQ(grown_steps(100, 1e-3, 2e-3, 50), 50U);
}

}  // namespace
}  // namespace rooftile::measure
