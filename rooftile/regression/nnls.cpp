#include "rooftile/regression/nnls.hpp"

#include <algorithm>
#include <limits>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/least_squares.hpp"

namespace rooftile::regression {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// min |a b - y| with b >= 0, the columns of `a` of length 1 and few rows.
class ActiveSet {
 public:
  ActiveSet(const MatrixXd& a, const VectorXd& y) : a_(a), y_(y), b_(VectorXd::Zero(a.cols())) {}

  // False if the exchanges do not end.
  bool run() {
    constexpr Index kExchanges = 30;
    const double noise =
        10 * std::numeric_limits<double>::epsilon() * static_cast<double>(a_.rows() + a_.cols()) * y_.norm();
    for (Index left = kExchanges * a_.cols(); left > 0; --left) {
      const Index entering = steepest(noise);
      if (entering < 0) return true;
      free_.push_back(entering);
      if (!settle()) return false;
    }
    return false;
  }

  const VectorXd& solution() const { return b_; }

 private:
  // The bound column along which the squares fall fastest, or -1.
  Index steepest(double noise) const {
    const VectorXd gradient = a_.transpose() * (y_ - a_ * b_);
    Index best = -1;
    for (Index column = 0; column < a_.cols(); ++column) {
      if (std::find(free_.begin(), free_.end(), column) != free_.end()) continue;
      if (gradient[column] > (best < 0 ? noise : gradient[best])) best = column;
    }
    return best;
  }

  // Solves for the free columns; those that would turn negative are bound again.
  bool settle() {
    for (std::size_t left = free_.size() + 1; left > 0; --left) {
      if (free_.empty()) return true;
      const VectorXd wanted = solve(least_squares(MatrixXd(a_(Eigen::all, free_)), y_));
      if (!wanted.allFinite()) return false;
      double step = 1;
      for (Index i = 0; i < wanted.size(); ++i) {
        const double now = b_[free_[static_cast<std::size_t>(i)]];
        if (wanted[i] <= 0) step = std::min(step, now / std::max(now - wanted[i], std::numeric_limits<double>::min()));
      }
      std::vector<Index> kept;
      for (Index i = 0; i < wanted.size(); ++i) {
        const Index column = free_[static_cast<std::size_t>(i)];
        b_[column] += step * (wanted[i] - b_[column]);
        if (wanted[i] <= 0 && b_[column] <= 1e-15 * std::abs(wanted[i]) + std::numeric_limits<double>::min()) {
          b_[column] = 0;
        } else {
          kept.push_back(column);
        }
      }
      const bool settled = kept.size() == free_.size();
      free_ = std::move(kept);
      if (settled && step >= 1) return true;
    }
    return false;
  }

  const MatrixXd& a_;
  const VectorXd& y_;
  VectorXd b_;
  std::vector<Index> free_;
};

}  // namespace

Result<std::vector<double>> nnls_fit(const Matrix& x, std::span<const double> y, std::span<const double> weights) {
  TRY(check_problem(x, y, weights));
  VectorXd root = VectorXd::Ones(static_cast<Index>(y.size()));
  if (!weights.empty()) root = as_eigen(weights).cwiseSqrt();
  MatrixXd columns = scaled_rows(root, x);
  const VectorXd lengths = make_unit_columns(columns);
  const LeastSquares problem = least_squares(columns, root.cwiseProduct(as_eigen(y)));
  ActiveSet solver(problem.triangle, problem.values);
  if (!solver.run()) return fail(ErrorCode::bad_input, "non-negative least squares did not converge");
  return as_vector(solver.solution().cwiseQuotient(lengths));
}

}  // namespace rooftile::regression
