// How the errors of rows of one GPU belong together, before any of them is measured: rows that one factor moves, and
// rows that lie close.
#pragma once

#include <vector>

#include "rooftile/learn/factors/few_points_matrix.hpp"
#include "rooftile/learn/factors/few_points_model.hpp"

namespace rooftile {

// The deviations of the factors for rows of which one's framework may not be known.
FactorLogs deviations_for(const std::vector<LinearPoint>& rows, const FactorPrior& prior);

// One row of slopes for each point.
DenseMatrix slopes_of(const std::vector<LinearPoint>& rows);

// Covariance of what rows of one family share.
DenseMatrix shared_covariance(const std::vector<LinearPoint>& rows, const FactorPrior& prior);

// The same and that by factors of these deviations.
DenseMatrix covariance_of(const std::vector<LinearPoint>& rows, const FactorLogs& deviation, const FactorPrior& prior);

}  // namespace rooftile
