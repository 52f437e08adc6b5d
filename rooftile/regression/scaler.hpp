// Standardising columns: mean 0 and standard deviation 1 over the rows of a fit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

struct Scaler {
  std::vector<double> means;
  std::vector<double> deviations;  // of the population (divided by n); 1 for a constant column
};

// `weights` is empty (all 1) or a positive number a row.
Scaler scaler_of(const Matrix& x, std::span<const double> weights = {});
Matrix standardised(const Matrix& x, const Scaler& scaler);

}  // namespace rooftile::regression
