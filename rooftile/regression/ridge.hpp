// Ridge regression on standardised columns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

struct RidgeFit {
  double penalty = 0;
  double intercept = 0;
  std::vector<double> coefficients;  // of the columns as they are, not as standardised
  double effective_parameters = 1;   // the intercept and trace of the hat matrix (Hastie, Tibshirani, Friedman, 3.50)
};

// For each penalty a: the minimum of sum w (y - b0 - z b)^2 + a |b|^2, z the standardised columns, the weights w
// scaled to mean 1, the intercept b0 free of penalty. `x` has no column of ones. Scaling y too, as a-MLLibrary does,
// gives the same fits.
// Errors: as linear_fit; a penalty that is not positive.
Result<std::vector<RidgeFit>> ridge_fits(const Matrix& x, std::span<const double> y, std::span<const double> penalties,
                                         std::span<const double> weights = {});

}  // namespace rooftile::regression
