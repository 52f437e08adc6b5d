// How far predictions are from measurements, in the figures that `validate` prints.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rooftile {

// One comparison; both numbers are positive and of the same unit.
struct Compared {
  double measured = 1;
  double predicted = 1;
  std::optional<double> low = {}, high = {};  // 90 % interval of the prediction, where there is one
};

// Figures of at least one comparison, as fractions (0.1 is 10 %). With r = predicted / measured:
struct Score {
  std::size_t rows = 0;
  double ratio = 1;            // geometric mean of r
  double gmae = 0;             // exp(mean |ln r|) - 1
  double mape = 0;             // mean |r - 1|
  double median = 0, p90 = 0;  // of |r - 1|
  std::optional<double> rank;  // Spearman's correlation of predicted and measured; none where either is all the same
  // Of the rows that have an interval; none where no row has.
  std::size_t intervals = 0;
  std::optional<double> inside;  // share whose measurement lies in it
  std::optional<double> width;   // median of (high - low) / predicted
  // Rows with a flag, a doubt about the measurement, are in none of the figures above.
  std::size_t flagged = 0;
  std::optional<double> gmae_with_flagged;  // of both together; none where no row has a flag
};

// The score of no rows has only zeros, but for what it says of flagged ones.
Score score(std::span<const Compared> rows, std::span<const Compared> flagged = {});

}  // namespace rooftile
