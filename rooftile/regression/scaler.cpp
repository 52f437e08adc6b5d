#include "rooftile/regression/scaler.hpp"

#include <cmath>

#include "rooftile/regression/eigen.hpp"

namespace rooftile::regression {

Scaler scaler_of(const Matrix& x, std::span<const double> weights) {
  // A deviation as small as the rounding of the mean is none.
  constexpr double kNoDeviation = 1e-13;
  Scaler scaler;
  Eigen::VectorXd shares = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(x.rows()));
  if (!weights.empty()) shares = as_eigen(weights);
  shares /= shares.sum();
  for (std::size_t column = 0; column < x.columns(); ++column) {
    const auto values = as_eigen(x.column(column));
    const double mean = shares.dot(values);
    const double deviation = std::sqrt((shares.array() * (values.array() - mean).square()).sum());
    scaler.means.push_back(mean);
    scaler.deviations.push_back(deviation > kNoDeviation * std::abs(mean) ? deviation : 1);
  }
  return scaler;
}

Matrix standardised(const Matrix& x, const Scaler& scaler) {
  Matrix result = x;
  for (std::size_t column = 0; column < x.columns(); ++column) {
    for (double& value : result.column(column)) value = (value - scaler.means[column]) / scaler.deviations[column];
  }
  return result;
}

}  // namespace rooftile::regression
