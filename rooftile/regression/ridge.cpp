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
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(columns, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& singular = svd.singularValues();
  const VectorXd projected = svd.matrixU().transpose() * centred;
  std::vector<RidgeFit> fits;
  for (const double penalty : penalties) {
    const VectorXd damped = singular.array() / (singular.array().square() + penalty);
    const VectorXd slopes = svd.matrixV() * damped.cwiseProduct(projected);
    RidgeFit fit;
    fit.penalty = penalty;
    fit.intercept = mean;
    fit.effective_parameters = 1 + damped.dot(singular);
    for (std::size_t column = 0; column < x.columns(); ++column) {
      fit.coefficients.push_back(slopes[static_cast<Eigen::Index>(column)] / scaler.deviations[column]);
      fit.intercept -= fit.coefficients.back() * scaler.means[column];
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace rooftile::regression
