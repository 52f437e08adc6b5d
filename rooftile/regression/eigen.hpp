// The module's matrices as Eigen sees them, without a copy. For the .cpp files of this module alone.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "rooftile/regression/matrix.hpp"

namespace rooftile::regression {

inline Eigen::Map<const Eigen::MatrixXd> as_eigen(const Matrix& matrix) {
  return {matrix.data(), static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(matrix.columns())};
}

inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

inline std::vector<double> as_vector(const Eigen::VectorXd& values) { return {values.begin(), values.end()}; }

}  // namespace rooftile::regression
