#include "rooftile/regression/linear_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/least_squares.hpp"

namespace rooftile::regression {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A column whose part outside the span of the others is shorter than this share of it counts as within.
constexpr double kIndependent = 1e-11;

// The columns of a triangle, in order, that are not spanned by those before them; each was 1 long.
std::vector<Index> independent_columns(const MatrixXd& triangle) {
  std::vector<Index> kept;
  MatrixXd basis(triangle.rows(), std::min(triangle.rows(), triangle.cols()));
  for (Index column = 0; column < triangle.cols() && static_cast<Index>(kept.size()) < basis.cols(); ++column) {
    VectorXd rest = triangle.col(column);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Kahan)
      for (Index i = 0; i < static_cast<Index>(kept.size()); ++i) rest -= basis.col(i).dot(rest) * basis.col(i);
    }
    const double length = rest.norm();
    if (length <= kIndependent) continue;
    basis.col(static_cast<Index>(kept.size())) = rest / length;
    kept.push_back(column);
  }
  return kept;
}

bool is_constant(std::span<const double> values) {
  return values.front() != 0 &&
         std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

bool has_constant(const Matrix& x) {
  for (std::size_t column = 0; column < x.columns(); ++column) {
    if (is_constant(x.column(column))) return true;
  }
  return false;
}

// sum w (value - centre)^2
double squares_about(std::span<const double> values, const VectorXd& weights, double centre) {
  return (weights.array() * (as_eigen(values).array() - centre).square()).sum();
}

double weighted_mean(std::span<const double> values, const VectorXd& weights) {
  return weights.dot(as_eigen(values)) / weights.sum();
}

class Solver {
 public:
  Solver(const Matrix& x, std::span<const double> y, std::span<const double> weights)
      : x_(x),
        y_(y),
        weights_(weights.empty() ? VectorXd(VectorXd::Ones(static_cast<Index>(y.size())))
                                 : VectorXd(as_eigen(weights))) {}

  LinearFit run() {
    const VectorXd root = weights_.cwiseSqrt();
    MatrixXd columns = scaled_rows(root, x_);
    lengths_ = make_unit_columns(columns);
    const VectorXd values = root.cwiseProduct(as_eigen(y_));
    LeastSquares problem = least_squares(columns, values);
    kept_ = independent_columns(problem.triangle);
    if (static_cast<Index>(kept_.size()) < columns.cols()) {
      columns = MatrixXd(columns(Eigen::all, kept_));
      problem = least_squares(columns, values);
    }
    fit_.rank = kept_.size();
    fit_.degrees_of_freedom = y_.size() - fit_.rank;
    for (std::size_t column = 0, next = 0; column < x_.columns(); ++column) {
      if (next < kept_.size() && kept_[next] == static_cast<Index>(column)) {
        ++next;
      } else {
        fit_.left_out.push_back(column);
      }
    }
    solve(columns, problem);
    summarise();
    return std::move(fit_);
  }

 private:
  void solve(const MatrixXd& columns, const LeastSquares& problem) {
    VectorXd coefficients = VectorXd::Zero(lengths_.size());
    fit_.leverage.assign(y_.size(), 0);
    inverse_gram_ = VectorXd::Constant(lengths_.size(), kNone);
    if (!kept_.empty()) {
      const VectorXd found = regression::solve(problem);
      const MatrixXd inverted = inverse(problem.triangle);
      for (Index i = 0; i < found.size(); ++i) {
        const Index column = kept_[static_cast<std::size_t>(i)];
        const double length = lengths_[column];
        coefficients[column] = found[i] / length;
        inverse_gram_[column] = inverted.row(i).squaredNorm() / (length * length);
      }
      const MatrixXd orthogonal = columns * inverted;
      for (Index row = 0; row < orthogonal.rows(); ++row) {
        fit_.leverage[static_cast<std::size_t>(row)] = orthogonal.row(row).squaredNorm();
      }
      fit_.condition_number = condition_number(problem.triangle);
    }
    fit_.coefficients = as_vector(coefficients);
    const VectorXd fitted = as_eigen(x_) * coefficients;
    fit_.fitted = as_vector(fitted);
    fit_.residuals = as_vector(as_eigen(y_) - fitted);
  }

  void summarise() {
    const bool centred = has_constant(x_);
    const double rest = squares_about(fit_.residuals, weights_, 0);
    const double total = squares_about(y_, weights_, centred ? weighted_mean(y_, weights_) : 0);
    const auto rows = static_cast<double>(y_.size());
    const auto freedom = static_cast<double>(fit_.degrees_of_freedom);
    fit_.r2 = total > 0 ? 1 - rest / total : kNone;
    fit_.adjusted_r2 = freedom > 0 ? 1 - (1 - fit_.r2) * (rows - (centred ? 1 : 0)) / freedom : kNone;
    const double variance = freedom > 0 ? rest / freedom : kNone;
    fit_.residual_standard_error = std::sqrt(variance);
    for (std::size_t column = 0; column < x_.columns(); ++column) {
      const double inverse = inverse_gram_[static_cast<Index>(column)];
      fit_.standard_errors.push_back(std::sqrt(variance * inverse));
      fit_.t.push_back(fit_.coefficients[column] / fit_.standard_errors.back());
      const std::span<const double> values = x_.column(column);
      const double centre = centred ? weighted_mean(values, weights_) : 0;
      fit_.vif.push_back(is_constant(values) ? kNone : inverse * squares_about(values, weights_, centre));
    }
    for (std::size_t row = 0; row < y_.size(); ++row) {
      const double leverage = std::min(fit_.leverage[row], 1.0);
      fit_.leverage[row] = leverage;
      const double weight = weights_[static_cast<Index>(row)];
      const double deviation = std::sqrt(variance * (1 - leverage) / weight);
      const double standardised = deviation > 0 ? fit_.residuals[row] / deviation : kNone;
      fit_.standardised_residuals.push_back(standardised);
      fit_.cooks_distance.push_back(standardised * standardised * leverage /
                                    ((1 - leverage) * static_cast<double>(fit_.rank)));
    }
  }

  const Matrix& x_;
  std::span<const double> y_;
  VectorXd weights_;
  VectorXd lengths_;  // of the weighted columns
  std::vector<Index> kept_;
  VectorXd inverse_gram_;  // diagonal of (X' W X)^-1
  LinearFit fit_;
};

}  // namespace

Result<LinearFit> linear_fit(const Matrix& x, std::span<const double> y, std::span<const double> weights) {
  TRY(check_problem(x, y, weights));
  return Solver(x, y, weights).run();
}

Result<std::vector<double>> relative_weights(std::span<const double> y) {
  std::vector<double> weights;
  for (const double value : y) {
    const double weight = 1 / (value * value);
    if (!(value > 0) || !std::isfinite(weight) || weight <= 0) {
      return fail(ErrorCode::bad_input,
                  fmt::format("{} in row {}: relative errors need positive values", value, weights.size() + 1));
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace rooftile::regression
