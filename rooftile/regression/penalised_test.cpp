// Ridge regression, least squares without negative coefficients, and forward selection on columns that are given.
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/regression/linear_fit.hpp"
#include "rooftile/regression/nnls.hpp"
#include "rooftile/regression/ridge.hpp"
#include "rooftile/regression/scaler.hpp"
#include "rooftile/regression/selection.hpp"

namespace rooftile::regression {
namespace {

using testing::ElementsAre;

struct Drawn {
  Matrix x;
  std::vector<double> y;
};

Drawn drawn(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Drawn data = {Matrix(rows, columns), std::vector<double>(rows)};
  for (std::size_t column = 0; column < columns; ++column) {
    for (double& value : data.x.column(column)) value = normal(random) * std::exp2(column) + 3;
  }
  for (double& value : data.y) value = normal(random);
  return data;
}

// One column: the slope of the standardised column is sum z y / (n + a). With x = 1, 2, 3, z = -s, 0, s, s^2 = 3/2;
// y = 1, 2, 6: sum z y = 5 s; the slope of x itself 5 s / (3 + a) s = 7.5 / (3 + a), for a = 2: 1.5.
TEST(Ridge, AgreesWithTheClosedForm) {
  Matrix x(3, 1);
  for (std::size_t row = 0; row < 3; ++row) x(row, 0) = static_cast<double>(row + 1);
  const auto fits = ridge_fits(x, std::vector<double>{1, 2, 6}, std::vector<double>{2.0});
  ASSERT_TRUE(fits);
  EXPECT_NEAR(fits->front().coefficients[0], 1.5, 1e-12);
  EXPECT_NEAR(fits->front().intercept, 3 - 2 * 1.5, 1e-12);
  EXPECT_NEAR(fits->front().effective_parameters, 1 + 3.0 / 5, 1e-12);
}

// The gradient of its objective vanishes at the minimum: z' W (y - b0 - z b) = a b for every standardised column.
TEST(Ridge, IsAtTheMinimumOfItsObjective) {
  const Drawn data = drawn(60, 5, 1);
  std::vector<double> weights;
  for (std::size_t row = 0; row < 60; ++row) weights.push_back(0.5 + static_cast<double>(row % 3) * 0.5);  // of mean 1
  const double penalty = 7;
  const auto fits = ridge_fits(data.x, data.y, std::vector<double>{penalty}, weights);
  ASSERT_TRUE(fits);
  const Scaler scaler = scaler_of(data.x, weights);
  const Matrix z = standardised(data.x, scaler);
  std::vector<double> residuals = data.y;
  for (std::size_t row = 0; row < 60; ++row) {
    residuals[row] -= fits->front().intercept;
    for (std::size_t i = 0; i < 5; ++i) residuals[row] -= fits->front().coefficients[i] * data.x(row, i);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    double gradient = 0;
    for (std::size_t row = 0; row < 60; ++row) gradient += weights[row] * z(row, i) * residuals[row];
    EXPECT_NEAR(gradient, penalty * fits->front().coefficients[i] * scaler.deviations[i], 1e-10);
  }
}

TEST(Ridge, WithoutAPenaltyToSpeakOfIsLeastSquares) {
  const Drawn data = drawn(40, 3, 2);
  Matrix with_ones(40, 4, 1);
  for (std::size_t i = 0; i < 3; ++i) std::copy_n(data.x.column(i).begin(), 40, with_ones.column(i + 1).begin());
  const auto ridge = ridge_fits(data.x, data.y, std::vector<double>{1e-10});
  const auto plain = linear_fit(with_ones, data.y);
  ASSERT_TRUE(ridge);
  ASSERT_TRUE(plain);
  EXPECT_NEAR(ridge->front().intercept, plain->coefficients[0], 1e-9);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(ridge->front().coefficients[i], plain->coefficients[i + 1], 1e-9);
  EXPECT_FALSE(ridge_fits(data.x, data.y, std::vector<double>{0.0}));
}

// Karush, Kuhn and Tucker: no coefficient below 0, no gradient that leads down from a coefficient of 0, none at all
// from the others.
TEST(Nnls, MeetsTheConditionsOfAMinimum) {
  EXPECT_TRUE(rc::check("KKT conditions", [] {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 9);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 30);
    Drawn data = drawn(rows, columns, *rc::gen::arbitrary<std::uint64_t>());
    if (columns > 2 && *rc::gen::arbitrary<bool>()) {  // columns that depend on each other
      std::copy_n(data.x.column(0).begin(), rows, data.x.column(columns - 1).begin());
    }
    const auto b = nnls_fit(data.x, data.y);
    RC_ASSERT(b.has_value());
    std::vector<double> residuals = data.y;
    double scale = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < columns; ++i) residuals[row] -= (*b)[i] * data.x(row, i);
      scale += std::abs(data.y[row]);
    }
    for (std::size_t i = 0; i < columns; ++i) {
      double gradient = 0, length = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        gradient += data.x(row, i) * residuals[row];
        length += data.x(row, i) * data.x(row, i);
      }
      const double noise = 1e-9 * scale * std::sqrt(length);
      RC_ASSERT((*b)[i] >= 0);
      RC_ASSERT(gradient <= noise);
      if ((*b)[i] > 0) RC_ASSERT(gradient >= -noise);
    }
  }));
}

// scipy.optimize.nnls([[1, 0], [1, 0], [0, 1]], [2, 1, -1]) = 1.5, 0.
TEST(Nnls, BindsWhatWouldBeNegative) {
  Matrix x(3, 2);
  x(0, 0) = x(1, 0) = x(2, 1) = 1;
  EXPECT_THAT(*nnls_fit(x, std::vector<double>{2, 1, -1}), ElementsAre(testing::DoubleNear(1.5, 1e-14), 0));
}

TEST(Nnls, IsLeastSquaresWhereThatIsNotNegative) {
  Drawn data = drawn(50, 3, 5);
  for (std::size_t row = 0; row < 50; ++row) {
    data.y[row] = 2 * data.x(row, 0) + 0.5 * data.x(row, 1) + 7 * data.x(row, 2) + 0.01 * data.y[row];
  }
  const std::vector<double> weights = std::vector<double>(50, 3);
  const auto b = nnls_fit(data.x, data.y, weights);
  const auto plain = linear_fit(data.x, data.y, weights);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR((*b)[i], plain->coefficients[i], 1e-11);
}

TEST(Selection, FindsTheColumnsThatMadeTheData) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Drawn data = drawn(150, 30, seed);
    for (std::size_t row = 0; row < 150; ++row) {
      data.y[row] = 10 + 5 * data.x(row, 3) - 0.01 * data.x(row, 12) + data.y[row];
    }
    const auto folds = k_fold(150, 5, seed);
    std::copy_n(std::vector<double>(150, 1).begin(), 150, data.x.column(0).begin());
    const auto selection = select_columns(data.x, data.y, {}, std::vector<std::size_t>{0}, 2, *folds);
    ASSERT_TRUE(selection);
    std::vector<std::size_t> columns = selection->columns;
    std::sort(columns.begin(), columns.end());
    if (columns == std::vector<std::size_t>{3, 12}) ++found;
    EXPECT_GT(selection->errors[0], selection->errors[1]);
  }
  EXPECT_GE(found, 20);
}

// The mean squared error of the folds, as fits of the folds give it.
TEST(Selection, ItsErrorsAreThoseOfTheFolds) {
  Drawn data = drawn(40, 4, 3);
  for (std::size_t row = 0; row < 40; ++row) data.y[row] += data.x(row, 2);
  const auto folds = k_fold(40, 4, 1);
  const auto selection = select_columns(data.x, data.y, {}, {}, 1, *folds);
  ASSERT_TRUE(selection);
  ASSERT_THAT(selection->columns, ElementsAre(2));
  double squares = 0;
  for (const Split& fold : *folds) {
    const Matrix column = columns_of(data.x, std::vector<std::size_t>{2});
    const auto fit =
        linear_fit(rows_of(column, fold.training), rows_of(std::span<const double>(data.y), fold.training));
    for (const std::size_t row : fold.validation) {
      squares += std::pow(data.y[row] - fit->coefficients[0] * column(row, 0), 2) / 40;
    }
  }
  EXPECT_NEAR(selection->errors[1], squares, 1e-10 * squares);
}

}  // namespace
}  // namespace rooftile::regression
