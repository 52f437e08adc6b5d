#include "rooftile/measure/summary.hpp"

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(Summary, OneOutlierDoesNotMoveTheMedian) {
  const Summary summary = summarise({10, 11, 9, 10, 500});
  EXPECT_DOUBLE_EQ(summary.median, 10);
  EXPECT_EQ(summary.count, 5);
}

TEST(Summary, PercentilesAreInterpolated) {
  const Summary summary = summarise({4, 1, 2, 3});  // positions 0.3, 1.5 and 2.7 of the sorted values
  EXPECT_DOUBLE_EQ(summary.low, 1.3);
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.high, 3.7);
  EXPECT_DOUBLE_EQ(summary.spread(), 2.4 / 2.5);
}

TEST(Summary, NothingMeasuredIsZeroAndNoDivision) {
  EXPECT_EQ(summarise({}), Summary{});
  EXPECT_EQ(Summary{}.spread(), 0);
}

}  // namespace
}  // namespace rooftile::measure
