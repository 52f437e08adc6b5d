#include "rooftile/regression/least_squares.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace rooftile::regression {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

LeastSquares least_squares(const MatrixXd& columns, const VectorXd& values) {
  const Index count = columns.cols(), rows = std::min(columns.rows(), count);
  MatrixXd joined(columns.rows(), count + 1);
  joined.leftCols(count) = columns;
  joined.col(count) = values;
  const Eigen::HouseholderQR<MatrixXd> qr(joined);
  LeastSquares problem = {MatrixXd::Zero(rows, count), qr.matrixQR().col(count).head(rows)};
  for (Index column = 0; column < count; ++column) {
    const Index filled = std::min(column + 1, rows);
    problem.triangle.col(column).head(filled) = qr.matrixQR().col(column).head(filled);
  }
  return problem;
}

VectorXd solve(const LeastSquares& problem) {
  return problem.triangle.triangularView<Eigen::Upper>().solve(problem.values);
}

MatrixXd inverse(const MatrixXd& triangle) {
  return triangle.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(triangle.rows(), triangle.cols()));
}

double condition_number(const MatrixXd& triangle) {
  const Eigen::JacobiSVD<MatrixXd, Eigen::NoQRPreconditioner> decomposition(triangle);
  return decomposition.singularValues()[0] / decomposition.singularValues()[triangle.cols() - 1];
}

MatrixXd scaled_rows(const VectorXd& factors, const Matrix& x) { return factors.asDiagonal() * as_eigen(x); }

VectorXd make_unit_columns(MatrixXd& columns) {
  VectorXd lengths(columns.cols());
  for (Index column = 0; column < columns.cols(); ++column) {
    lengths[column] = columns.col(column).norm();
    if (lengths[column] == 0) lengths[column] = 1;
    columns.col(column) /= lengths[column];
  }
  return lengths;
}

}  // namespace rooftile::regression
