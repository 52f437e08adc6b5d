#include "rooftile/measure/layer_repeat.hpp"

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

TEST(LayerRepeat, SetsTogetherExceedTheL2ThreeTimes) {
  EXPECT_EQ(rotation_sets(10e6, 50e6, 1e9), 15);
  EXPECT_EQ(rotation_sets(11e6, 50e6, 1e9), 14);
  EXPECT_EQ(rotation_sets(200e6, 50e6, 1e9), 1);
}

TEST(LayerRepeat, SetsStayWithinTheBudget) {
  EXPECT_EQ(rotation_sets(10e6, 50e6, 35e6), 3);
  EXPECT_EQ(rotation_sets(10e6, 50e6, 1e6), 1);
  EXPECT_EQ(rotation_sets(1, 50e6, 1e9), kMaxSets);
  EXPECT_EQ(rotation_sets(0, 50e6, 1e9), kMaxSets);
}

TEST(LayerRepeat, RunsFillTheTimeInWholeRounds) {
  EXPECT_EQ(runs_per_repeat(1e-3, 2e-3, 1), 2);
  EXPECT_EQ(runs_per_repeat(1e-3, 2e-3, 5), 5);
  EXPECT_EQ(runs_per_repeat(10e-6, 2e-3, 15), 210);
  EXPECT_EQ(runs_per_repeat(1, 2e-3, 1), 1);
}

TEST(LayerRepeat, LongRunsNeedNotVisitEverySet) {
  EXPECT_EQ(runs_per_repeat(10e-3, 2e-3, 38), 10);
  EXPECT_EQ(runs_per_repeat(1, 2e-3, 5), 1);
  EXPECT_EQ(runs_per_repeat(1e-3, 2e-3, 50), 50);
}

TEST(LayerRepeat, RunsAreBounded) {
  EXPECT_EQ(runs_per_repeat(0, 2e-3, 1), kMaxRuns);
  EXPECT_EQ(runs_per_repeat(0, 2e-3, kMaxSets), kMaxRuns);
}

}  // namespace
}  // namespace rooftile::measure
