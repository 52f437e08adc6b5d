// Numbers in rows and columns, and tables of named columns: what regressions are fitted to.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::regression {

// Each column stands together in memory.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns, double value = 0)
      : rows_(rows), columns_(columns), values_(rows * columns, value) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t row, std::size_t column) {
    assert(row < rows_ && column < columns_);
    return values_[column * rows_ + row];
  }
  double operator()(std::size_t row, std::size_t column) const {
    assert(row < rows_ && column < columns_);
    return values_[column * rows_ + row];
  }
  std::span<double> column(std::size_t column) { return {values_.data() + column * rows_, rows_}; }
  std::span<const double> column(std::size_t column) const { return {values_.data() + column * rows_, rows_}; }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

// The rows or columns with these indices, in their order.
Matrix rows_of(const Matrix& matrix, std::span<const std::size_t> rows);
Matrix columns_of(const Matrix& matrix, std::span<const std::size_t> columns);
std::vector<double> rows_of(std::span<const double> values, std::span<const std::size_t> rows);
std::vector<std::string> rows_of(std::span<const std::string> values, std::span<const std::size_t> rows);

// Rows of numbers under names; no two columns share a name.
struct NumberTable {
  std::vector<std::string> names;
  Matrix values;  // a column for each name

  std::size_t rows() const { return values.rows(); }
  std::optional<std::size_t> find(std::string_view name) const;
  bool operator==(const NumberTable&) const = default;
};

NumberTable rows_of(const NumberTable& table, std::span<const std::size_t> rows);

}  // namespace rooftile::regression
