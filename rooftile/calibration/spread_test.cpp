#include "rooftile/calibration/spread.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Spread, ErrorsThatHaveNothingToDoWithEachOtherAddInSquares) {
  const Spread wide = widened({.low = std::exp(-0.3), .high = std::exp(0.4), .common = 1}, std::exp(0.3));
  EXPECT_NEAR(std::log(wide.low), -std::hypot(0.3, 0.3), 1e-12);
  EXPECT_NEAR(std::log(wide.high), 0.5, 1e-12);
  EXPECT_NEAR(std::log(wide.common), 0.3, 1e-12);
}

TEST(Spread, ThatIsAllBelowOneStaysThereOnlyWithoutFurtherError) {
  const Spread wide = widened({.low = 0.5, .high = 0.9, .common = 1}, 1.5);
  EXPECT_LT(wide.low, 0.5);
  EXPECT_NEAR(wide.high, 1.5, 1e-12);
}

TEST(Spread, NeverSaysMoreThanACalibrationCan) {
  EXPECT_NEAR(widened({.low = 1e-3, .high = 999, .common = 999}, 1e6).high, std::exp(kWidestSpread), 1e-9);
}

}  // namespace
}  // namespace rooftile
