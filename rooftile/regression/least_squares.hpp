// What the fits of this module share: least squares whose rows have become few. For the .cpp files of this module
// alone.
//
// Eigen's templates take longer to compile than all else here, so each decomposition is called in one place, and
// nothing asks for a Q: it is the same as the last column of R where the values stand as one more column (Golub and Van
// Loan, Matrix Computations, section 5.3.3).
#pragma once

#include "rooftile/regression/eigen.hpp"

namespace rooftile::regression {

// Columns and values that have the same least squares as those with more rows: columns = Q triangle, and values are
// those of Q' values that some coefficients can reach.
struct LeastSquares {
  Eigen::MatrixXd triangle;
  Eigen::VectorXd values;
};
LeastSquares least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& values);

// Of a triangle with as many rows as columns and nothing dependent.
Eigen::VectorXd solve(const LeastSquares& problem);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& triangle);

// The largest singular value over the smallest.
double condition_number(const Eigen::MatrixXd& triangle);

// Each row times the factor of its place.
Eigen::MatrixXd scaled_rows(const Eigen::VectorXd& factors, const Matrix& x);

// Scales each column to length 1, and returns what they were; a column of zeros stays so and counts as 1 long.
Eigen::VectorXd make_unit_columns(Eigen::MatrixXd& columns);

}  // namespace rooftile::regression
