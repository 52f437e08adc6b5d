#include "rooftile/base/quantile.hpp"

#include <array>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Quantile, LiesBetweenTwoValuesInProportion) {
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile({30, 10, 20}, 0.5), 20);
  EXPECT_DOUBLE_EQ(quantile({30, 10, 20}, 0.9), 28);
  EXPECT_EQ(quantile({30, 10, 20}, 0), 10);
  EXPECT_EQ(quantile({30, 10, 20}, 1), 30);
  EXPECT_EQ(quantile({7}, 0.3), 7);
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(sorted_quantile(std::array{1.0, 2.0, 3.0, 4.0}, 0.25), 1.75);
}

}  // namespace
}  // namespace rooftile
