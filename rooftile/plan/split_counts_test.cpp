#include "rooftile/plan/split_counts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

constexpr std::array kSome = {2, 3, 4, 6, 12};
constexpr auto kSomeUpTo = counts_up_to<kSome>();

TEST(SplitCounts, AreCountedAsASearchCountsThem) {
  const SplitCounts counts(kSome, kSomeUpTo);
  for (double x = -1; x < 15; x += 0.25) {
    const auto up_to = std::count_if(kSome.begin(), kSome.end(), [&](int count) { return count <= x; });
    const auto below = std::count_if(kSome.begin(), kSome.end(), [&](int count) { return count < x; });
    EXPECT_EQ(counts.up_to(x), static_cast<std::size_t>(up_to)) << x;
    EXPECT_EQ(counts.below(x), static_cast<std::size_t>(below)) << x;
  }
  EXPECT_EQ(counts[4], 12);
}

TEST(SplitCounts, MayBeOne) {
  static constexpr int kOne = 4;
  const SplitCounts one(kOne);
  EXPECT_EQ(one.up_to(3), 0U);
  EXPECT_EQ(one.up_to(4), 1U);
  EXPECT_EQ(one.below(4), 0U);
  EXPECT_EQ(one.below(4.5), 1U);
}

}  // namespace
}  // namespace rooftile
