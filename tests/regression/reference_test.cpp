// The regression core against numpy and scipy: reference.json holds problems with their answers by reference.py.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/regression/linear_fit.hpp"
#include "rooftile/regression/nnls.hpp"
#include "rooftile/regression/ridge.hpp"

namespace rooftile::regression {
namespace {

using nlohmann::json;

const json& cases() {
  static const json value = [] {
    std::ifstream file("tests/regression/reference.json");
    return json::parse(file);
  }();
  return value;
}

// Columns from `first` on.
Matrix matrix_of(const json& rows, std::size_t first) {
  Matrix matrix(rows.size(), rows[0].size() - first);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      matrix(row, column) = rows[row][column + first].get<double>();
    }
  }
  return matrix;
}

// To 1e-9 of the value; `small` is what a coefficient of 0 may be off by.
void expect_near(double ours, double theirs, double small = 1e-300) {
  EXPECT_LE(std::abs(ours - theirs), std::max(1e-9 * std::abs(theirs), small)) << ours << " and " << theirs;
}

void expect_near(const std::vector<double>& ours, const json& theirs, std::size_t skipped = 0) {
  ASSERT_EQ(ours.size(), theirs.size() + skipped);
  for (std::size_t i = 0; i < theirs.size(); ++i) expect_near(ours[i + skipped], theirs[i].get<double>());
}

void expect_near(const LinearFit& ours, const json& theirs) {
  expect_near(ours.coefficients, theirs["coefficients"]);
  expect_near(ours.standard_errors, theirs["standard_errors"]);
  expect_near(ours.leverage, theirs["leverage"]);
  expect_near(ours.vif, theirs["vif"], 1);  // theirs leaves out the constant's
  expect_near(ours.r2, theirs["r2"].get<double>());
  expect_near(ours.condition_number, theirs["condition_number"].get<double>());
}

TEST(Reference, LeastSquares) {
  for (const json& one : cases()) {
    const Matrix x = matrix_of(one["x"], 0);
    const auto y = one["y"].get<std::vector<double>>();
    const auto plain = linear_fit(x, y);
    const auto weighted = linear_fit(x, y, one["weights"].get<std::vector<double>>());
    ASSERT_TRUE(plain);
    ASSERT_TRUE(weighted);
    expect_near(*plain, one["plain"]);
    expect_near(*weighted, one["weighted"]);
  }
}

TEST(Reference, Ridge) {
  for (const json& one : cases()) {
    const auto y = one["y"].get<std::vector<double>>();
    for (std::size_t weighted = 0; weighted < 2; ++weighted) {
      const json& answer = one["ridge"][weighted];
      const auto weights = weighted == 1 ? one["weights"].get<std::vector<double>>() : std::vector<double>();
      const std::vector<double> penalty = {answer["penalty"].get<double>()};
      const auto fits = ridge_fits(matrix_of(one["x"], 1), y, penalty, weights);
      ASSERT_TRUE(fits);
      expect_near(fits->front().coefficients, answer["coefficients"]);
      expect_near(fits->front().intercept, answer["intercept"].get<double>());
    }
  }
}

TEST(Reference, Nnls) {
  for (const json& one : cases()) {
    const auto y = one["y"].get<std::vector<double>>();
    for (std::size_t weighted = 0; weighted < 2; ++weighted) {
      const auto weights = weighted == 1 ? one["weights"].get<std::vector<double>>() : std::vector<double>();
      const auto b = nnls_fit(matrix_of(one["x"], 0), y, weights);
      ASSERT_TRUE(b);
      expect_near(*b, one["nnls"][weighted]);
    }
  }
}

}  // namespace
}  // namespace rooftile::regression
