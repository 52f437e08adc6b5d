// How far predicted values are from measured ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rooftile::regression {

// As fractions (0.1 is 10 %). Measured values are positive; predictions of a linear equation need not be.
struct Errors {
  std::size_t rows = 0;
  double mape = 0;                    // mean |predicted - measured| / measured
  double median = 0, p90 = 0;         // of |predicted - measured| / measured
  std::optional<double> gmae = {};    // exp(mean |ln(predicted / measured)|) - 1; none if a prediction is not positive
  std::size_t not_positive = 0;       // predictions
  std::optional<double> r2 = {};      // 1 - residual / total squares about the mean; none if all measured are equal
  std::optional<double> inside = {};  // share of the rows whose measured value the interval holds, where there are any
};

// No rows have only zeros.
Errors errors_of(std::span<const double> measured, std::span<const double> predicted);

}  // namespace rooftile::regression
