// Ordinary and weighted least squares with what a statistician asks of them: standard errors, leverage, collinearity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

// y = x b + e with n rows and p columns. Figures that do not exist (of a column left out, or without degrees of
// freedom) are NaN.
struct LinearFit {
  // One a column of x. A column that the ones before it already span is left out: its coefficient is 0.
  std::vector<double> coefficients;
  std::vector<std::size_t> left_out;
  std::vector<double> standard_errors;
  std::vector<double> t;    // coefficient / standard error
  std::vector<double> vif;  // variance inflation 1 / (1 - R2 of the column on the others); NaN for a constant column

  // One a row.
  std::vector<double> fitted;
  std::vector<double> residuals;               // y - fitted
  std::vector<double> leverage;                // diagonal of the hat matrix
  std::vector<double> standardised_residuals;  // residual / its standard deviation (internally studentised)
  std::vector<double> cooks_distance;

  std::size_t rank = 0;                // columns that are in
  std::size_t degrees_of_freedom = 0;  // n - rank
  double r2 = 0, adjusted_r2 = 0;      // about the mean if a column is constant, else about 0
  double residual_standard_error = 0;  // in the unit of y; with weights that of a row of weight 1
  double condition_number = 1;         // of the columns that are in, each scaled to length 1 (Belsley, Kuh, Welsch)
};

// Solved by Householder QR with column pivoting. An intercept is a column of ones in `x`. `weights` (empty: all 1) are
// those of the squares: 1 / y^2 makes it a fit of relative errors.
// Errors: no rows, no columns, a number that is not finite, a weight that is not positive.
Result<LinearFit> linear_fit(const Matrix& x, std::span<const double> y, std::span<const double> weights = {});

// 1 / y^2. Error: a value that is not positive.
Result<std::vector<double>> relative_weights(std::span<const double> y);

}  // namespace rooftile::regression
