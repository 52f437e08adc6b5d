#include "rooftile/regression/linear_fit.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile::regression {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Matrix matrix_of(const std::vector<std::vector<double>>& columns) {
  Matrix matrix(columns.front().size(), columns.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::copy(columns[column].begin(), columns[column].end(), matrix.column(column).begin());
  }
  return matrix;
}

// y = 2 + 3 a - 0.5 b + noise
struct Simulated {
  Matrix x;
  std::vector<double> y;
};
const std::vector<double> kTrue = {2, 3, -0.5};

Simulated simulated(std::size_t rows, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Simulated data = {Matrix(rows, 3, 1), {}};
  for (std::size_t row = 0; row < rows; ++row) {
    data.x(row, 1) = normal(random);
    data.x(row, 2) = 10 + 4 * normal(random);
    data.y.push_back(kTrue[0] + kTrue[1] * data.x(row, 1) + kTrue[2] * data.x(row, 2) + noise * normal(random));
  }
  return data;
}

// Four points worked by hand: x = 0, 1, 2, 3 and y = 1, 3, 2, 5. Slope 5.5 / 5 = 1.1, intercept 2.75 - 1.65 = 1.1;
// residuals -0.1, 0.8, -1.3, 0.6 with squares 2.7; s^2 = 1.35; se(slope) = sqrt(1.35 / 5); leverage of the first
// 1/4 + 2.25/5 = 0.7; total squares 8.75.
TEST(LinearFit, AgreesWithALineWorkedByHand) {
  const auto fit = linear_fit(matrix_of({{1, 1, 1, 1}, {0, 1, 2, 3}}), std::vector<double>{1, 3, 2, 5});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 1.1, 1e-12);
  EXPECT_NEAR(fit->coefficients[1], 1.1, 1e-12);
  EXPECT_NEAR(fit->standard_errors[1], std::sqrt(1.35 / 5), 1e-12);
  EXPECT_NEAR(fit->standard_errors[0], std::sqrt(1.35 * 0.7), 1e-12);
  EXPECT_NEAR(fit->t[1], 1.1 / std::sqrt(1.35 / 5), 1e-12);
  EXPECT_NEAR(fit->r2, 1 - 2.7 / 8.75, 1e-12);
  EXPECT_NEAR(fit->adjusted_r2, 1 - (2.7 / 2) / (8.75 / 3), 1e-12);
  EXPECT_NEAR(fit->residual_standard_error, std::sqrt(1.35), 1e-12);
  EXPECT_NEAR(fit->residuals[2], -1.3, 1e-12);
  EXPECT_NEAR(fit->leverage[0], 0.7, 1e-12);
  const double standardised = -0.1 / std::sqrt(1.35 * 0.3);
  EXPECT_NEAR(fit->standardised_residuals[0], standardised, 1e-12);
  EXPECT_NEAR(fit->cooks_distance[0], standardised * standardised * 0.7 / (0.3 * 2), 1e-12);
  EXPECT_NEAR(fit->vif[1], 1, 1e-12);  // no other column but the constant
  EXPECT_TRUE(std::isnan(fit->vif[0]));
  EXPECT_EQ(fit->degrees_of_freedom, 2U);
}

TEST(LinearFit, RecoversWhatMadeTheData) {
  const Simulated exact = simulated(50, 0, 1);
  const auto fit = linear_fit(exact.x, exact.y);
  ASSERT_TRUE(fit);
  for (std::size_t i = 0; i < kTrue.size(); ++i) EXPECT_NEAR(fit->coefficients[i], kTrue[i], 1e-10);
  EXPECT_NEAR(fit->r2, 1, 1e-12);
}

// Each coefficient lies within 1.984 standard errors (Student's t with 97 degrees of freedom) in 95 % of the draws: of
// 2,000 draws between 93.5 and 96.5 %, three binomial standard deviations.
TEST(LinearFit, NoiseStaysWithinTheStandardErrors) {
  constexpr int kDraws = 2000;
  std::vector<int> inside(kTrue.size(), 0);
  for (int draw = 0; draw < kDraws; ++draw) {
    const Simulated data = simulated(100, 0.7, static_cast<std::uint64_t>(draw) + 10);
    const auto fit = linear_fit(data.x, data.y);
    ASSERT_TRUE(fit);
    for (std::size_t i = 0; i < kTrue.size(); ++i) {
      if (std::abs(fit->coefficients[i] - kTrue[i]) < 1.984 * fit->standard_errors[i]) ++inside[i];
    }
  }
  for (const int count : inside) EXPECT_NEAR(static_cast<double>(count) / kDraws, 0.95, 0.015);
}

TEST(LinearFit, WeightsCountAsRepeatedRows) {
  const Simulated data = simulated(20, 1, 3);
  std::vector<double> weights;
  std::vector<std::size_t> repeated;
  for (std::size_t row = 0; row < 20; ++row) {
    const std::size_t times = 1 + row % 3;
    weights.push_back(static_cast<double>(times));
    repeated.insert(repeated.end(), times, row);
  }
  const auto weighted = linear_fit(data.x, data.y, weights);
  const auto plain = linear_fit(rows_of(data.x, repeated), rows_of(std::span<const double>(data.y), repeated));
  ASSERT_TRUE(weighted);
  ASSERT_TRUE(plain);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weighted->coefficients[i], plain->coefficients[i], 1e-11);
  EXPECT_NEAR(weighted->r2, plain->r2, 1e-11);
}

TEST(LinearFit, RelativeWeightsMinimiseRelativeErrors) {
  // One constant for 1 and 3: sum ((b - y) / y)^2 is least at (1 + 1/3) / (1 + 1/9) = 1.2.
  const std::vector<double> y = {1, 3};
  const auto fit = linear_fit(Matrix(2, 1, 1), y, *relative_weights(y));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 1.2, 1e-12);
  EXPECT_FALSE(relative_weights(std::vector<double>{1, 0}));
}

TEST(LinearFit, LeavesOutWhatTheColumnsBeforeSpan) {
  const Simulated data = simulated(30, 0.5, 4);
  Matrix wide(30, 5, 1);
  for (std::size_t row = 0; row < 30; ++row) {
    wide(row, 1) = data.x(row, 1);
    wide(row, 2) = 2 * data.x(row, 1) - 3;  // spanned by the two before
    wide(row, 3) = data.x(row, 2);
    wide(row, 4) = 0;
  }
  const auto fit = linear_fit(wide, data.y);
  const auto narrow = linear_fit(data.x, data.y);
  ASSERT_TRUE(fit);
  EXPECT_THAT(fit->left_out, ElementsAre(2, 4));
  EXPECT_EQ(fit->rank, 3U);
  EXPECT_EQ(fit->coefficients[2], 0);
  EXPECT_TRUE(std::isnan(fit->standard_errors[2]));
  EXPECT_NEAR(fit->coefficients[3], narrow->coefficients[2], 1e-11);
  EXPECT_NEAR(fit->standard_errors[3], narrow->standard_errors[2], 1e-11);
}

TEST(LinearFit, FewerRowsThanColumnsHaveNoErrors) {
  const auto fit = linear_fit(matrix_of({{1, 1}, {0, 1}, {5, 7}}), std::vector<double>{4, 6});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 2U);
  EXPECT_EQ(fit->degrees_of_freedom, 0U);
  EXPECT_NEAR(fit->fitted[1], 6, 1e-12);
  EXPECT_TRUE(std::isnan(fit->standard_errors[0]));
}

TEST(LinearFit, TellsCollinearColumns) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Matrix x(200, 3, 1);
  std::vector<double> y;
  for (std::size_t row = 0; row < 200; ++row) {
    x(row, 1) = normal(random);
    x(row, 2) = x(row, 1) + 0.1 * normal(random);
    y.push_back(x(row, 1) + normal(random));
  }
  const auto fit = linear_fit(x, y);
  ASSERT_TRUE(fit);
  // The second column's part that the first does not explain has a variance of about 1 / 101 of the whole.
  EXPECT_GT(fit->vif[2], 60);
  EXPECT_LT(fit->vif[2], 160);
  EXPECT_GT(fit->condition_number, 10);
}

TEST(LinearFit, LeveragesSumToTheRank) {
  const Simulated data = simulated(40, 1, 6);
  const auto fit = linear_fit(data.x, data.y);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(std::accumulate(fit->leverage.begin(), fit->leverage.end(), 0.0), 3, 1e-10);
}

TEST(LinearFit, RefusesWhatIsNoProblem) {
  const auto message = [](const Matrix& x, const std::vector<double>& y) { return linear_fit(x, y).error().message; };
  EXPECT_THAT(message(Matrix(0, 1), {}), HasSubstr("no rows"));
  EXPECT_THAT(message(Matrix(2, 0), {1, 2}), HasSubstr("no columns"));
  EXPECT_THAT(message(Matrix(2, 1, NAN), {1, 2}), HasSubstr("column 1 is not finite in row 1"));
  EXPECT_THAT(message(Matrix(2, 1, 1), {1, INFINITY}), HasSubstr("row 2"));
  EXPECT_FALSE(linear_fit(Matrix(2, 1, 1), std::vector<double>{1, 2}, std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace rooftile::regression
