#include "rooftile/regression/selection.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <optional>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/check.hpp"
#include "rooftile/regression/eigen.hpp"

namespace rooftile::regression {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Products of the weighted columns, the last of which is y: all that least squares and their errors need to know of the
// rows. Hundreds of subsets of columns then cost nothing in rows.
struct Products {
  MatrixXd training, validation;
};

MatrixXd products_of(const MatrixXd& columns, const std::vector<std::size_t>& rows) {
  std::vector<Index> indices(rows.begin(), rows.end());
  const MatrixXd part = columns(indices, Eigen::all);
  return part.transpose() * part;
}

// The squared error of the held-out rows when fitted with these columns; nothing if they depend on each other.
std::optional<double> squares(const Products& fold, const std::vector<Index>& columns) {
  const Index y = fold.training.cols() - 1;
  VectorXd solution;
  if (!columns.empty()) {
    const MatrixXd gram = fold.training(columns, columns);
    const Eigen::LDLT<MatrixXd> factors(gram);
    constexpr double kIndependent = 1e-12;  // of columns of length 1, squared
    if (factors.info() != Eigen::Success || factors.vectorD().minCoeff() < kIndependent) return {};
    solution = factors.solve(VectorXd(fold.training(columns, y)));
  }
  double sum = fold.validation(y, y);
  if (!columns.empty()) {
    const VectorXd cross = fold.validation(columns, y);
    const MatrixXd gram = fold.validation(columns, columns);
    sum += solution.dot(gram * solution) - 2 * solution.dot(cross);
  }
  return std::max(sum, 0.0);
}

double mean_error(const std::vector<Products>& folds, const std::vector<Index>& columns, double rows) {
  double sum = 0;
  for (const Products& fold : folds) {
    const std::optional<double> part = squares(fold, columns);
    if (!part) return std::numeric_limits<double>::infinity();
    sum += *part;
  }
  return sum / rows;
}

}  // namespace

Result<Selection> select_columns(const Matrix& x, std::span<const double> y, std::span<const double> weights,
                                 std::span<const std::size_t> always, std::size_t most, std::span<const Split> folds) {
  TRY(check_problem(x, y, weights));
  MatrixXd columns(static_cast<Index>(x.rows()), static_cast<Index>(x.columns()) + 1);
  columns.leftCols(columns.cols() - 1) = as_eigen(x);
  columns.rightCols(1) = as_eigen(y);
  if (!weights.empty()) columns = MatrixXd(as_eigen(weights).cwiseSqrt().asDiagonal() * columns);
  for (Index column = 0; column + 1 < columns.cols(); ++column) {  // least squares do not mind the scale
    const double length = columns.col(column).norm();
    if (length > 0) columns.col(column) /= length;
  }
  std::vector<Products> products;
  double rows = 0;
  for (const Split& fold : folds) {
    products.push_back({products_of(columns, fold.training), products_of(columns, fold.validation)});
    rows += static_cast<double>(fold.validation.size());
  }
  std::vector<Index> chosen(always.begin(), always.end());
  Selection selection;
  selection.errors.push_back(mean_error(products, chosen, rows));
  while (selection.columns.size() < most) {
    std::optional<Index> best;
    double least = std::numeric_limits<double>::infinity();
    for (Index column = 0; column + 1 < columns.cols(); ++column) {
      if (std::find(chosen.begin(), chosen.end(), column) != chosen.end()) continue;
      chosen.push_back(column);
      const double error = mean_error(products, chosen, rows);
      chosen.pop_back();
      if (error < least) {
        least = error;
        best = column;
      }
    }
    constexpr double kWorthIt = 0.999;
    if (!best || !(least < kWorthIt * selection.errors.back())) break;
    chosen.push_back(*best);
    selection.columns.push_back(static_cast<std::size_t>(*best));
    selection.errors.push_back(least);
  }
  return selection;
}

}  // namespace rooftile::regression
