#include "rooftile/validate/score.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

Compared compared(double measured, double predicted) { return {.measured = measured, .predicted = predicted}; }

TEST(Score, ByHand) {
  // Ratios 2, 1/2 and 1: errors 1, 0.5, 0.
  const std::vector<Compared> rows = {compared(10, 20), compared(10, 5), compared(10, 10)};
  const Score figures = score(rows);
  EXPECT_EQ(figures.rows, 3U);
  EXPECT_NEAR(figures.ratio, 1, 1e-12);
  EXPECT_NEAR(figures.gmae, std::pow(2.0, 2.0 / 3) - 1, 1e-12);
  EXPECT_NEAR(figures.mape, 0.5, 1e-12);
  EXPECT_NEAR(figures.median, 0.5, 1e-12);
  EXPECT_NEAR(figures.p90, 0.9, 1e-12);  // 0, 0.5, 1 at 0.9 x 2 = 1.8
  EXPECT_FALSE(figures.inside.has_value());
  EXPECT_FALSE(figures.rank.has_value()) << "all were measured alike";
}

TEST(Score, Intervals) {
  const std::vector<Compared> rows = {{.measured = 10, .predicted = 10, .low = 9, .high = 11},
                                      {.measured = 10, .predicted = 20, .low = 15, .high = 25},
                                      {.measured = 10, .predicted = 10, .low = 10, .high = 14},
                                      compared(10, 10)};
  const Score figures = score(rows);
  EXPECT_EQ(figures.intervals, 3U);
  EXPECT_NEAR(figures.inside.value(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(figures.width.value(), 0.4, 1e-12);  // 0.2, 0.5, 0.4
}

TEST(Score, RankCorrelationIsSpearmans) {
  // Differences of places 0, 1, 1, 0: 1 - 6 x 2 / (4 x 15).
  const std::vector<Compared> rows = {compared(1, 10), compared(2, 50), compared(3, 40), compared(9, 60)};
  EXPECT_NEAR(score(rows).rank.value(), 0.8, 1e-12);
  const std::vector<Compared> backwards = {compared(1, 3), compared(2, 2), compared(3, 1)};
  EXPECT_NEAR(score(backwards).rank.value(), -1, 1e-12);
  const std::vector<Compared> tied = {compared(1, 5), compared(1, 5), compared(3, 7)};
  EXPECT_NEAR(score(tied).rank.value(), 1, 1e-12);
}

TEST(Score, OfNoRowsIsEmpty) { EXPECT_EQ(score({}).rows, 0U); }

TEST(Score, FlaggedRowsStandBesideTheFigure) {
  const std::vector<Compared> rows = {compared(10, 20)}, flagged = {compared(10, 5), compared(10, 10)};
  const Score figures = score(rows, flagged);
  EXPECT_EQ(figures.rows, 1U);
  EXPECT_NEAR(figures.gmae, 1, 1e-12);
  EXPECT_EQ(figures.flagged, 2U);
  EXPECT_NEAR(figures.gmae_with_flagged.value(), std::pow(2.0, 2.0 / 3) - 1, 1e-12);
  EXPECT_FALSE(score(rows).gmae_with_flagged.has_value());
  EXPECT_NEAR(score({}, flagged).gmae_with_flagged.value(), std::sqrt(2.0) - 1, 1e-12);
  EXPECT_EQ(score({}, flagged).rows, 0U);
}

TEST(Score, GmaeIsAtLeastTheBiasAndSymmetric) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<int, int>>& pairs) {
    std::vector<Compared> rows;
    std::vector<Compared> swapped;
    for (const auto& [a, b] : pairs) {
      const double measured = 1 + std::abs(static_cast<double>(a)), predicted = 1 + std::abs(static_cast<double>(b));
      rows.push_back(compared(measured, predicted));
      swapped.push_back(compared(predicted, measured));
    }
    const Score figures = score(rows);
    RC_ASSERT(figures.gmae >= std::expm1(std::abs(std::log(figures.ratio))) - 1e-9);
    RC_ASSERT(std::abs(figures.gmae - score(swapped).gmae) <= 1e-9 * (1 + figures.gmae));
  }));
}

}  // namespace
}  // namespace rooftile
