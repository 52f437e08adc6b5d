#include "rooftile/learn/factors/few_points_choice.hpp"

#include <cstddef>

#include "rooftile/learn/factors/few_points_covariance.hpp"

namespace rooftile {

namespace {

double trace(const DenseMatrix& matrix) {
  double sum = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) sum += matrix(i, i);
  return sum;
}

// Of all rows, once one of them with this variance, its noise included, is measured.
void condition_on(std::size_t row, double variance, DenseMatrix& covariance) {
  const DenseVector column = column_of(covariance, row);
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double factor = column[i] / variance;
    for (std::size_t j = 0; j < column.size(); ++j) covariance(i, j) -= factor * column[j];
  }
}

}  // namespace

std::vector<ChosenRow> most_telling(const std::vector<LinearPoint>& rows, const std::vector<std::size_t>& pool,
                                    std::size_t count, const FactorPrior& prior) {
  DenseMatrix covariance = covariance_of(rows, deviations_for(rows, prior), prior);
  const double all = trace(covariance);
  std::vector<std::size_t> open = pool;
  std::vector<ChosenRow> chosen;
  while (chosen.size() < count && !open.empty()) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const DenseVector column = column_of(covariance, open[i]);
      const double gain = dot(column, column) / (column[open[i]] + prior.noise * prior.noise);
      if (gain <= most) continue;
      most = gain;
      best = i;
    }
    const std::size_t row = open[best];
    condition_on(row, covariance(row, row) + prior.noise * prior.noise, covariance);
    chosen.push_back({row, all > 0 ? trace(covariance) / all : 0});
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

}  // namespace rooftile
