#include "rooftile/regression/trees.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace rooftile::regression {
namespace {

#define NEEDS_XGBOOST() \
  if (!has_xgboost()) GTEST_SKIP() << "XGBoost's library (libxgboost0) is not installed"

TEST(Trees, AreWalked) {
  // x0 < 2 ? 10 : (x1 < 5 ? 20 : 30)
  const Tree tree = {{0, 2, 1, 2, 0}, {0, 0, 0, 0, 10}, {1, 5, 3, 4, 0}, {0, 0, 0, 0, 20}, {0, 0, 0, 0, 30}};
  Matrix x(3, 2);
  x(0, 0) = 1;
  x(1, 0) = 2;  // not less
  x(1, 1) = 4;
  x(2, 0) = 3;
  x(2, 1) = 5;
  const auto values = predict({2, 0.5, {tree, tree}}, x);
  EXPECT_EQ(values, (std::vector<double>{20.5, 40.5, 60.5}));
}

TEST(Trees, LearnASteppedSurface) {
  NEEDS_XGBOOST();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 4);
  Matrix x(400, 2);
  std::vector<double> y;
  for (std::size_t row = 0; row < 400; ++row) {
    x(row, 0) = uniform(random);
    x(row, 1) = uniform(random);
    y.push_back(1000 + std::floor(x(row, 0)) * 10 + (x(row, 1) < 2 ? 1 : 0));
  }
  const auto fit = tree_fit(x, y, {.rounds = 300, .depth = 3});
  ASSERT_TRUE(fit) << fit.error().text();
  const auto values = predict(*fit, x);
  for (std::size_t row = 0; row < 400; ++row) EXPECT_NEAR(values[row], y[row], 0.05);
  EXPECT_EQ(*fit, *tree_fit(x, y, {.rounds = 300, .depth = 3}));
}

// The first tree of depth 1 at rate 1 has no regularisation to speak of but lambda = 1: a leaf of n rows is sum / (n +
// 1) of what the mean leaves.
TEST(Trees, TheFirstTreeIsWhatThePaperSays) {
  NEEDS_XGBOOST();
  Matrix x(8, 1);
  std::vector<double> y;
  for (std::size_t row = 0; row < 8; ++row) {
    x(row, 0) = static_cast<double>(row);
    y.push_back(row < 4 ? 1 : 3);
  }
  const auto fit = tree_fit(x, y, {.rounds = 1, .depth = 1, .rate = 1});
  ASSERT_TRUE(fit) << fit.error().text();
  const auto values = predict(*fit, x);
  EXPECT_NEAR(values[0], 2 - 4.0 / 5, 1e-6);
  EXPECT_NEAR(values[7], 2 + 4.0 / 5, 1e-6);
}

TEST(Trees, WeightsCount) {
  NEEDS_XGBOOST();
  const Matrix x(2, 1, 1);
  const auto fit = tree_fit(x, std::vector<double>{0, 10}, {.rounds = 1}, std::vector<double>{3, 1});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(predict(*fit, x)[0], 2.5, 1e-6);
  EXPECT_FALSE(tree_fit(Matrix(0, 1), {}));
}

}  // namespace
}  // namespace rooftile::regression
