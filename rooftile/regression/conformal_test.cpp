#include "rooftile/regression/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/regression/errors.hpp"

namespace rooftile::regression {
namespace {

TEST(Conformal, TakesTheRankThatThePaperSays) {
  std::vector<double> scores(9);
  std::iota(scores.begin(), scores.end(), 1);
  EXPECT_EQ(*conformal_quantile(scores, 0.9), 9);  // ceil(10 x 0.9) = 9
  EXPECT_EQ(*conformal_quantile(scores, 0.5), 5);
  scores.pop_back();
  EXPECT_FALSE(conformal_quantile(scores, 0.9));  // ceil(9 x 0.9) = 9 of 8
}

// Of n + 1 distinct scores, each as likely the new one, at least the share `level` is within the quantile of the
// others: the guarantee itself, by going through all of them.
TEST(Conformal, HoldsItsShareWhateverTheScores) {
  EXPECT_TRUE(rc::check("leave each out", [] {
    const auto scores =
        *rc::gen::suchThat(rc::gen::container<std::vector<double>>(rc::gen::arbitrary<double>()), [](const auto& v) {
          return v.size() >= 2 && std::all_of(v.begin(), v.end(), [](double s) { return std::isfinite(s); });
        });
    const double level = *rc::gen::element(0.5, 0.8, 0.9);
    std::size_t inside = 0;
    for (std::size_t left = 0; left < scores.size(); ++left) {
      std::vector<double> others = scores;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
      const auto bound = conformal_quantile(others, level);
      if (!bound || scores[left] <= *bound) ++inside;
    }
    RC_ASSERT(static_cast<double>(inside) >= level * static_cast<double>(scores.size()) - 1e-9);
  }));
}

TEST(Conformal, ScoresAreRatios) {
  const auto scores = log_ratio_scores(std::vector<double>{1, 2, 3}, std::vector<double>{2, 1, -1});
  EXPECT_DOUBLE_EQ(scores[0], std::log(2));
  EXPECT_DOUBLE_EQ(scores[1], std::log(2));
  EXPECT_TRUE(std::isinf(scores[2]));
}

TEST(Errors, AreThoseOfTheDefinitions) {
  const Errors errors = errors_of(std::vector<double>{1, 2, 4}, std::vector<double>{2, 2, 2});
  EXPECT_DOUBLE_EQ(errors.mape, (1 + 0 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(*errors.gmae, std::exp(2 * std::log(2) / 3) - 1);
  EXPECT_DOUBLE_EQ(errors.median, 0.5);
  EXPECT_NEAR(*errors.r2, 1 - 5.0 / (14.0 / 3), 1e-12);  // total: (4/3)^2 + (1/3)^2 + (5/3)^2 = 42/9
  const Errors negative = errors_of(std::vector<double>{1, 2}, std::vector<double>{-1, 2});
  EXPECT_EQ(negative.not_positive, 1U);
  EXPECT_FALSE(negative.gmae);
  EXPECT_EQ(errors_of({}, {}).rows, 0U);
}

}  // namespace
}  // namespace rooftile::regression
