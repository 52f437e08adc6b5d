#include "rooftile/explore/block_set.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

std::set<std::uint64_t> elements(const BlockSet& set) {
  std::set<std::uint64_t> result;
  for (const BlockRange& range : set.ranges()) {
    for (std::uint64_t b = range.first; b < range.end; ++b) result.insert(b);
  }
  return result;
}

std::vector<BlockRange> random_ranges() {
  std::vector<BlockRange> ranges(*rc::gen::inRange<std::size_t>(0, 12));
  for (BlockRange& range : ranges) {
    range.first = *rc::gen::inRange<std::uint64_t>(0, 60);
    range.end = range.first + *rc::gen::inRange<std::uint64_t>(0, 9);
  }
  return ranges;
}

RC_GTEST_PROP(BlockSet, HoldsWhatWasAddedInAnyOrderInRangesThatDoNotTouch, ()) {
  BlockSet set;
  std::set<std::uint64_t> expected;
  for (const BlockRange& range : random_ranges()) {
    set.add(range);
    for (std::uint64_t b = range.first; b < range.end; ++b) expected.insert(b);
  }
  RC_ASSERT(elements(set) == expected);
  RC_ASSERT(set.count() == expected.size());
  for (std::size_t i = 0; i < set.ranges().size(); ++i) {
    RC_ASSERT(set.ranges()[i].count() > 0);
    if (i > 0) RC_ASSERT(set.ranges()[i].first > set.ranges()[i - 1].end);
  }
  const BlockList list(set);
  std::uint64_t place = 0;
  for (const std::uint64_t block : expected) RC_ASSERT(list.at(place++) == block);
  RC_ASSERT(list.count() == place);
}

RC_GTEST_PROP(BlockSet, JoinsAnotherSetAndKnowsWhatIsMissing, ()) {
  constexpr std::uint64_t kEnd = 70;
  BlockSet a, b;
  for (const BlockRange& range : random_ranges()) a.add(range);
  for (const BlockRange& range : random_ranges()) b.add(range);
  std::set<std::uint64_t> both = elements(a);
  both.merge(elements(b));
  a.add(b);
  RC_ASSERT(elements(a) == both);
  const std::set<std::uint64_t> missing = elements(a.others(kEnd));
  for (std::uint64_t block = 0; block < kEnd; ++block) RC_ASSERT(missing.count(block) + both.count(block) == 1);
}

TEST(BlockSet, IsTakenFromItsBeginningInPieces) {
  BlockSet set(BlockRange{2, 7});
  set.add(BlockRange{9, 10});
  EXPECT_EQ(set.take(3), (BlockRange{2, 5}));
  EXPECT_EQ(set.take(10), (BlockRange{5, 7}));
  EXPECT_EQ(set.take(10), (BlockRange{9, 10}));
  EXPECT_EQ(set.take(10).count(), 0U);
  EXPECT_TRUE(set.empty());
}

TEST(BlockSet, ReadsBackAndRefusesRangesThatAreNone) {
  BlockSet set(BlockRange{0, 3});
  set.add(BlockRange{5, 8});
  ByteWriter written;
  set.write(written);
  ByteReader reader(written.bytes());
  EXPECT_EQ(BlockSet::read(reader, 8), set);
  EXPECT_TRUE(reader.ended());
  ByteReader short_space(written.bytes());
  EXPECT_EQ(BlockSet::read(short_space, 7), std::nullopt);
  for (const auto& [first, end] : {std::pair{3, 3}, {4, 2}}) {
    ByteWriter bad;
    bad.u64(1);
    bad.u64(static_cast<std::uint64_t>(first));
    bad.u64(static_cast<std::uint64_t>(end));
    ByteReader bad_reader(bad.bytes());
    EXPECT_EQ(BlockSet::read(bad_reader, 10), std::nullopt);
  }
  ByteWriter many;
  many.u64(std::uint64_t{1} << 60U);
  ByteReader many_reader(many.bytes());
  EXPECT_EQ(BlockSet::read(many_reader, 10), std::nullopt);
}

}  // namespace
}  // namespace rooftile
