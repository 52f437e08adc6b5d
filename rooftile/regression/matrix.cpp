#include "rooftile/regression/matrix.hpp"

#include <algorithm>

namespace rooftile::regression {
namespace {

template <class T>
std::vector<T> picked(std::span<const T> values, std::span<const std::size_t> rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

}  // namespace

Matrix rows_of(const Matrix& matrix, std::span<const std::size_t> rows) {
  Matrix result(rows.size(), matrix.columns());
  for (std::size_t column = 0; column < matrix.columns(); ++column) {
    const std::span<const double> from = matrix.column(column);
    const std::span<double> to = result.column(column);
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
  return result;
}

Matrix columns_of(const Matrix& matrix, std::span<const std::size_t> columns) {
  Matrix result(matrix.rows(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::copy_n(matrix.column(columns[i]).begin(), matrix.rows(), result.column(i).begin());
  }
  return result;
}

std::vector<double> rows_of(std::span<const double> values, std::span<const std::size_t> rows) {
  return picked(values, rows);
}

std::vector<std::string> rows_of(std::span<const std::string> values, std::span<const std::size_t> rows) {
  return picked(values, rows);
}

std::optional<std::size_t> NumberTable::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

NumberTable rows_of(const NumberTable& table, std::span<const std::size_t> rows) {
  return {table.names, rows_of(table.values, rows)};
}

}  // namespace rooftile::regression
