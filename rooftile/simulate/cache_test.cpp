#include "rooftile/simulate/cache.hpp"

#include <list>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

TEST(SectoredCache, ASectorMissesOnceAndItsLineSharesATag) {
  SectoredCache cache({.lines = 2, .ways = 0});
  EXPECT_EQ(cache.load(7, 0b0011), 0b0011U);
  EXPECT_EQ(cache.load(7, 0b0110), 0b0100U);
  EXPECT_EQ(cache.load(7, 0b0111), 0U);
}

TEST(SectoredCache, LruEvictsTheLeastRecentLine) {
  SectoredCache cache({.lines = 2, .ways = 0});
  cache.load(1, 1);
  cache.load(2, 1);
  cache.load(1, 1);
  EXPECT_EQ(cache.load(3, 1), 1U);  // in the place of 2
  EXPECT_EQ(cache.load(1, 1), 0U);
  EXPECT_EQ(cache.load(2, 1), 1U);
}

TEST(SectoredCache, AnEvictedLineLosesAllSectors) {
  SectoredCache cache({.lines = 1, .ways = 0});
  cache.load(1, 0b1111);
  cache.load(2, 0b0001);
  EXPECT_EQ(cache.load(1, 0b0001), 0b0001U);
  EXPECT_EQ(cache.load(1, 0b0010), 0b0010U);
}

TEST(SectoredCache, AStoreFetchesNothingAndIsWrittenBackOnceAsLongAsItStays) {
  SectoredCache cache({.lines = 1, .ways = 0});
  EXPECT_EQ(cache.store(1, 0b0011), 0b0011U);
  EXPECT_EQ(cache.store(1, 0b0010), 0U);
  EXPECT_EQ(cache.load(1, 0b0011), 0U);
  cache.load(2, 1);                            // writes line 1 back
  EXPECT_EQ(cache.store(1, 0b0010), 0b0010U);  // and this will be written again
}

TEST(SectoredCache, NoLinesHoldNothing) {
  SectoredCache cache({.lines = 0});
  EXPECT_EQ(cache.load(1, 0b11), 0b11U);
  EXPECT_EQ(cache.load(1, 0b11), 0b11U);
  EXPECT_EQ(cache.store(1, 0b11), 0b11U);
}

TEST(SectoredCache, RandomReplacementUsesEmptyPlacesFirst) {
  SectoredCache cache({.lines = 16, .ways = 0, .policy = Replacement::random});
  for (std::uint64_t line = 0; line < 16; ++line) cache.load(line, 1);
  for (std::uint64_t line = 0; line < 16; ++line) EXPECT_EQ(cache.load(line, 1), 0U) << line;
}

// A sweep over twice the capacity, again and again: LRU never hits; of random replacement, h = exp(-2 (1 - h)) stays:
// h = 0.2032.
TEST(SectoredCache, CyclicSweepsSeparateThePolicies) {
  for (const Replacement policy : {Replacement::lru, Replacement::random}) {
    constexpr std::uint64_t kLines = 4096;
    SectoredCache cache({.lines = kLines, .ways = policy == Replacement::lru ? 16U : 0U, .policy = policy});
    double hits = 0, all = 0;
    for (int sweep = 0; sweep < 8; ++sweep) {
      for (std::uint64_t line = 0; line < 2 * kLines; ++line) {
        const bool hit = cache.load(line, 1) == 0;
        if (sweep < 3) continue;
        hits += hit ? 1 : 0;
        ++all;
      }
    }
    EXPECT_NEAR(hits / all, policy == Replacement::lru ? 0 : 0.2032, 0.02);
  }
}

// The definition, as slowly as one can write it.
TEST(SectoredCache, FullyAssociativeLruIsTheTextbooks) {
  EXPECT_TRUE(rc::check([] {
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 9);
    SectoredCache cache({.lines = capacity, .ways = 0});
    std::list<std::pair<std::uint64_t, unsigned>> recent;
    const auto lines = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 12));
    for (const std::uint64_t line : lines) {
      const unsigned mask = 1U << (line % 4) | 1U;
      const auto found = std::find_if(recent.begin(), recent.end(), [&](const auto& e) { return e.first == line; });
      std::pair<std::uint64_t, unsigned> entry = {line, 0};
      if (found != recent.end()) {
        entry = *found;
        recent.erase(found);
      }
      RC_ASSERT(cache.load(line, mask) == (mask & ~entry.second));
      entry.second |= mask;
      recent.push_front(entry);
      if (recent.size() > capacity) recent.pop_back();
    }
  }));
}

}  // namespace
}  // namespace rooftile
