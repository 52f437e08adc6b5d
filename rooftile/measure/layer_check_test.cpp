#include "rooftile/measure/layer_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

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

// ||rounded - exact|| / ||exact|| of a sum of products of uniform operands that are rounded to 11 bits.
double rounding_of_tf32() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto rounded = [](double value) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(mantissa * 2048) / 2048, exponent);
  };
  double error = 0;
  double size = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = uniform(random);
    const double b = uniform(random);
    error += std::pow(rounded(a) * rounded(b) - a * b, 2);
    size += a * b * a * b;
  }
  return std::sqrt(error / size);
}

TEST(LayerCheck, LimitsGrowWithRounding) {
  EXPECT_LT(error_limit(DType::fp32), rounding_of_tf32()) << "tf32 would pass for fp32";
  EXPECT_LT(error_limit(DType::fp32), error_limit(DType::tf32));
  EXPECT_LT(error_limit(DType::tf32), error_limit(DType::bf16));
  EXPECT_LT(error_limit(DType::bf16), error_limit(DType::fp8));
  EXPECT_EQ(error_limit(DType::int8), 0);
}

}  // namespace
}  // namespace rooftile::measure
