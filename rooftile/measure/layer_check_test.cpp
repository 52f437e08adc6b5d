#include "rooftile/measure/layer_check.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

using testing::ElementsAre;

TEST(LayerCheck, SmallResultsAreComparedWhole) { EXPECT_THAT(sampled_positions(3, 256), ElementsAre(0, 1, 2)); }

TEST(LayerCheck, LargeResultsAreSampledFromEndToEnd) {
  constexpr std::int64_t kCount = 10'000'000'000;
  const auto positions = sampled_positions(kCount, 256);
  EXPECT_EQ(positions.front(), 0);
  EXPECT_EQ(positions.back(), kCount - 1);
  EXPECT_GE(positions.size(), 256U);
  EXPECT_TRUE(std::adjacent_find(positions.begin(), positions.end(), std::greater_equal<>()) == positions.end());
  for (std::size_t i = 1; i < positions.size(); ++i) {
    EXPECT_LE(positions[i] - positions[i - 1], 2 * kCount / 256 + 1);
  }
}

TEST(LayerCheck, LimitsGrowWithRounding) {
  EXPECT_LT(error_limit(DType::fp32), 4e-4) << "tf32 would pass for fp32";
  EXPECT_LT(error_limit(DType::fp32), error_limit(DType::tf32));
  EXPECT_LT(error_limit(DType::tf32), error_limit(DType::bf16));
  EXPECT_LT(error_limit(DType::bf16), error_limit(DType::fp8));
  EXPECT_EQ(error_limit(DType::int8), 0);
}

}  // namespace
}  // namespace rooftile::measure
