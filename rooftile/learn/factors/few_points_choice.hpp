// Which rows to measure: those whose times would tell most of all rows', chosen before any is measured.
#pragma once

#include <cstddef>
#include <vector>

#include "rooftile/learn/factors/few_points_model.hpp"

namespace rooftile {

struct ChosenRow {
  std::size_t row = 0;  // its place
  double left = 0;      // of the variance of all rows, once it and those before it are measured
};

// `count` of the rows in `pool`, each the one that takes most away of the summed variance of the logarithms of all
// rows' errors under the prior (V-optimal, one after another). What rows have as residual plays no part. Fewer where
// the pool is smaller.
std::vector<ChosenRow> most_telling(const std::vector<LinearPoint>& rows, const std::vector<std::size_t>& pool,
                                    std::size_t count, const FactorPrior& prior);

}  // namespace rooftile
