#include "rooftile/learn/factors/few_points_covariance.hpp"

#include <algorithm>

namespace rooftile {

FactorLogs deviations_for(const std::vector<LinearPoint>& rows, const FactorPrior& prior) {
  FactorLogs deviation = prior.deviation;
  const bool known = std::all_of(rows.begin(), rows.end(), [](const LinearPoint& row) { return row.known_framework; });
  if (!known) deviation[kLaunchFactor] = prior.unknown_launch;
  return deviation;
}

DenseMatrix slopes_of(const std::vector<LinearPoint>& rows) {
  DenseMatrix slopes(rows.size(), kFactors);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t f = 0; f < kFactors; ++f) slopes(i, f) = rows[i].slope[f];
  }
  return slopes;
}

DenseMatrix shared_covariance(const std::vector<LinearPoint>& rows, const FactorPrior& prior) {
  DenseMatrix result(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (rows[i].family != rows[j].family) continue;
      result(i, j) = prior.shared * prior.shared * likeness(rows[i].place, rows[j].place);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

DenseMatrix covariance_of(const std::vector<LinearPoint>& rows, const FactorLogs& deviation, const FactorPrior& prior) {
  DenseMatrix result = shared_covariance(rows, prior);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      for (std::size_t f = 0; f < kFactors; ++f) {
        result(i, j) += rows[i].slope[f] * deviation[f] * deviation[f] * rows[j].slope[f];
      }
    }
  }
  return result;
}

}  // namespace rooftile
