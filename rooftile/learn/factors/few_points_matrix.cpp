#include "rooftile/learn/factors/few_points_matrix.hpp"

#include <numeric>

namespace rooftile {

double dot(const DenseVector& a, const DenseVector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

DenseVector column_of(const DenseMatrix& matrix, std::size_t column) {
  DenseVector result(matrix.rows());
  for (std::size_t row = 0; row < result.size(); ++row) result[row] = matrix(row, column);
  return result;
}

DenseVector product(const DenseMatrix& matrix, const DenseVector& vector) {
  DenseVector result(matrix.rows());
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.columns(); ++column)
      result[row] += matrix(row, column) * vector[column];
  }
  return result;
}

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix result(a.rows(), b.columns());
  for (std::size_t row = 0; row < a.rows(); ++row) {
    for (std::size_t inner = 0; inner < a.columns(); ++inner) {
      const double factor = a(row, inner);
      for (std::size_t column = 0; column < b.columns(); ++column) result(row, column) += factor * b(inner, column);
    }
  }
  return result;
}

DenseMatrix transposed(const DenseMatrix& matrix) {
  DenseMatrix result(matrix.columns(), matrix.rows());
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.columns(); ++column) result(column, row) = matrix(row, column);
  }
  return result;
}

DenseMatrix inverse_of(DenseMatrix matrix) {
  const std::size_t size = matrix.rows();
  for (std::size_t pivot = 0; pivot < size; ++pivot) {  // in place: the column of the pivot becomes that of the inverse
    const double scale = 1 / matrix(pivot, pivot);
    matrix(pivot, pivot) = 1;
    for (std::size_t column = 0; column < size; ++column) matrix(pivot, column) *= scale;
    for (std::size_t row = 0; row < size; ++row) {
      if (row == pivot) continue;
      const double factor = matrix(row, pivot);
      matrix(row, pivot) = 0;
      for (std::size_t column = 0; column < size; ++column) matrix(row, column) -= factor * matrix(pivot, column);
    }
  }
  return matrix;
}

}  // namespace rooftile
