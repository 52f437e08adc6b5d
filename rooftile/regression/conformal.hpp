// Intervals that hold a new value at a stated rate whatever the distribution of the errors is, as long as the new row
// is drawn like the ones that they were made from (Vovk, Gammerman, Shafer 2005).
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace rooftile::regression {

// The ceil((n + 1) level)-th smallest of n scores: a new score is at most that with probability `level` or more. None
// if n is too small for the level (below 9 for 0.9).
std::optional<double> conformal_quantile(std::vector<double> scores, double level);

// |ln(predicted / measured)|; infinite where a prediction is not positive.
std::vector<double> log_ratio_scores(std::span<const double> measured, std::span<const double> predicted);

}  // namespace rooftile::regression
