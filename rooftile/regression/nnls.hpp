// Least squares with coefficients that are not negative: times add up, none is taken back.
#pragma once

#include <span>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

// The active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23). `weights` as for
// linear_fit. Errors: as linear_fit; no solution after 30 exchanges a column (not seen).
Result<std::vector<double>> nnls_fit(const Matrix& x, std::span<const double> y, std::span<const double> weights = {});

}  // namespace rooftile::regression
