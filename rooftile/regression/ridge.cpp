#include "rooftile/regression/ridge.hpp"

#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/least_squares.hpp"
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
  const VectorXd centred = root.cwiseProduct(as_eigen(y) - VectorXd::Constant(shares.size(), mean));
  const LeastSquares problem = least_squares(scaled_rows(root, standardised(x, scaler)), centred);
  const Eigen::Index rows = problem.triangle.rows(), count = problem.triangle.cols();
  std::vector<RidgeFit> fits;
  for (const double penalty : penalties) {
    // Least squares of the columns above a diagonal of the penalty's root. (A singular value decomposition would serve
    // all penalties at once, and takes longer to compile than all else here.)
    Eigen::MatrixXd above = Eigen::MatrixXd::Zero(rows + count, count);
    above.topRows(rows) = problem.triangle;
    above.bottomRows(count).diagonal().setConstant(std::sqrt(penalty));
    VectorXd right = VectorXd::Zero(rows + count);
    right.head(rows) = problem.values;
    const LeastSquares penalised = least_squares(above, right);
    const VectorXd slopes = solve(penalised);
    // The trace of the hat matrix, columns (triangle' triangle)^-1 columns'.
    const Eigen::MatrixXd hat = problem.triangle * inverse(penalised.triangle);
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
