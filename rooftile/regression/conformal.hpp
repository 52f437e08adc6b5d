// Intervals that hold a new value at a stated rate whatever the distribution of the errors is, as long as the new row
// is drawn like the ones that they were made from (Vovk, Gammerman, Shafer 2005; Barber, Candes, Ramdas, Tibshirani
// 2021).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rooftile::regression {

// The ceil((n + 1) level)-th smallest of n scores: a new score is at most that with probability `level` or more. None
// if n is too small for the level (below 9 for 0.9).
std::optional<double> conformal_quantile(std::vector<double> scores, double level);

// |ln(predicted / measured)|; infinite where a prediction is not positive.
std::vector<double> log_ratio_scores(std::span<const double> measured, std::span<const double> predicted);

struct Bounds {
  double low = 0, high = 0;
};

// CV+ for one new row (Barber et al. 2021, section 3; with as many folds as rows it is jackknife+): `residuals` are
// |measured - predicted| of each training row by the fit that had not seen it, `fold_of` says which fit that was, and
// `predictions` are those of the new row by each of these fits. Holds at least 1 - 2 (1 - level) whatever the data
// where each row has a fit of its own, sqrt(2 / n) less with fewer folds, in practice about `level`. On logarithms it
// bounds the ratio. None if there are too few rows for the level.
std::optional<Bounds> cv_plus(std::span<const double> residuals, std::span<const std::size_t> fold_of,
                              std::span<const double> predictions, double level);

}  // namespace rooftile::regression
