// Vectors and symmetric matrices over the factors of few_points.hpp: a handful of numbers each.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "rooftile/learn/few_points.hpp"

namespace rooftile {

using FactorMatrix = std::array<FactorLogs, kFactors>;

inline double dot(const FactorLogs& a, const FactorLogs& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kFactors; ++i) sum += a[i] * b[i];
  return sum;
}

inline FactorLogs product(const FactorMatrix& matrix, const FactorLogs& vector) {
  FactorLogs result{};
  for (std::size_t i = 0; i < kFactors; ++i) result[i] = dot(matrix[i], vector);
  return result;
}

inline FactorLogs scaled(FactorLogs vector, double scale) {
  for (double& value : vector) value *= scale;
  return vector;
}

inline FactorLogs difference(FactorLogs a, const FactorLogs& b) {
  for (std::size_t i = 0; i < kFactors; ++i) a[i] -= b[i];
  return a;
}

// matrix += weight * vector vector'.
inline void add_square(FactorMatrix& matrix, const FactorLogs& vector, double weight) {
  for (std::size_t i = 0; i < kFactors; ++i) {
    for (std::size_t j = 0; j < kFactors; ++j) matrix[i][j] += weight * vector[i] * vector[j];
  }
}

// 1 / deviation^2 on the diagonal.
inline FactorMatrix precision_of(const FactorLogs& deviation) {
  FactorMatrix result{};
  for (std::size_t i = 0; i < kFactors; ++i) result[i][i] = 1 / (deviation[i] * deviation[i]);
  return result;
}

// Of a symmetric positive definite matrix, by Gauss and Jordan, for which it needs no pivots.
inline FactorMatrix inverse_of(FactorMatrix matrix) {
  FactorMatrix result{};
  for (std::size_t i = 0; i < kFactors; ++i) result[i][i] = 1;
  for (std::size_t pivot = 0; pivot < kFactors; ++pivot) {
    const double scale = 1 / matrix[pivot][pivot];
    matrix[pivot] = scaled(matrix[pivot], scale);
    result[pivot] = scaled(result[pivot], scale);
    for (std::size_t row = 0; row < kFactors; ++row) {
      if (row == pivot) continue;
      const double factor = matrix[row][pivot];
      matrix[row] = difference(matrix[row], scaled(matrix[pivot], factor));
      result[row] = difference(result[row], scaled(result[pivot], factor));
    }
  }
  return result;
}

}  // namespace rooftile
