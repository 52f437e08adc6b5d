// Small dense matrices for calibrations from a few points: some hundred rows and columns at most.
#pragma once

#include <cstddef>
#include <vector>

namespace rooftile {

class DenseMatrix {
 public:
  DenseMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double operator()(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }
  double& operator()(std::size_t row, std::size_t column) { return values_[row * columns_ + column]; }

 private:
  std::size_t rows_, columns_;
  std::vector<double> values_;
};

using DenseVector = std::vector<double>;

double dot(const DenseVector& a, const DenseVector& b);
DenseVector column_of(const DenseMatrix& matrix, std::size_t column);
DenseVector product(const DenseMatrix& matrix, const DenseVector& vector);
DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix transposed(const DenseMatrix& matrix);

// Of a symmetric positive definite matrix, by Gauss and Jordan, for which it needs no pivots.
DenseMatrix inverse_of(DenseMatrix matrix);

}  // namespace rooftile
