#include "rooftile/regression/ridge.hpp"

#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/eigen.hpp"
#include "rooftile/regression/scaler.hpp"

namespace rooftile::regression {

Result<std::vector<RidgeFit>> ridge_fits(const Matrix& x, std::span<const double> y, std::span<const double> penalties,
                                         std::span<const double> weights) {
  using Eigen::VectorXd;
  TRY(check_problem(x, y, weights));
  for (const double penalty : penalties) {
    if (!(penalty > 0 && std::isfinite(penalty))) {
      return fail(ErrorCode::usage, fmt::format("a ridge penalty must be positive, not {}", penalty));
    }
  }
  VectorXd shares = VectorXd::Ones(static_cast<Eigen::Index>(y.size()));
  if (!weights.empty()) shares = as_eigen(weights) / as_eigen(weights).mean();
  const Scaler scaler = scaler_of(x, weights);
  const double mean = shares.dot(as_eigen(y)) / shares.sum();
  const VectorXd root = shares.cwiseSqrt();
  const Matrix scaled = standardised(x, scaler);
  Eigen::MatrixXd columns = root.asDiagonal() * as_eigen(scaled);
  VectorXd centred = root.cwiseProduct(as_eigen(y) - VectorXd::Constant(shares.size(), mean));
  if (columns.rows() > columns.cols()) {  // the triangle of a QR has the same solutions and few rows
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
    centred = VectorXd((qr.householderQ().transpose() * centred).head(columns.cols()));
    columns = Eigen::MatrixXd(qr.matrixQR().topRows(columns.cols()).triangularView<Eigen::Upper>());
  }
  const Eigen::Index count = columns.cols();
  std::vector<RidgeFit> fits;
  for (const double penalty : penalties) {
    // Least squares of the columns above a diagonal of the penalty's root. (A singular value decomposition would serve
    // all penalties at once, and takes longer to compile than all else here.)
    Eigen::MatrixXd above(columns.rows() + count, count);
    above << columns, std::sqrt(penalty) * Eigen::MatrixXd::Identity(count, count);
    VectorXd right = VectorXd::Zero(above.rows());
    right.head(centred.size()) = centred;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(above);
    const Eigen::MatrixXd triangle = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
    const VectorXd rotated = (qr.householderQ().transpose() * right).head(count);
    const VectorXd slopes = triangle.triangularView<Eigen::Upper>().solve(rotated);
    // The trace of the hat matrix, columns (triangle' triangle)^-1 columns'.
    const Eigen::MatrixXd hat = triangle.transpose().triangularView<Eigen::Lower>().solve(columns.transpose());
    RidgeFit fit;
    fit.penalty = penalty;
    fit.intercept = mean;
    fit.effective_parameters = 1 + hat.squaredNorm();
    for (std::size_t column = 0; column < x.columns(); ++column) {
      fit.coefficients.push_back(slopes[static_cast<Eigen::Index>(column)] / scaler.deviations[column]);
      fit.intercept -= fit.coefficients.back() * scaler.means[column];
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace rooftile::regression
