// Repeated measurements of one quantity, summed up.
#pragma once

#include <cstddef>
#include <vector>

namespace rooftile::measure {

// Medians rather than means: one interrupted run must not move the figure.
struct Summary {
  double median = 0;
  double low = 0;   // 10th percentile
  double high = 0;  // 90th percentile
  std::size_t count = 0;

  // (high - low) / median; 0 where the median is 0.
  double spread() const;

  bool operator==(const Summary&) const = default;
};

// Percentiles between two values are interpolated; an empty vector gives zeros.
Summary summarise(std::vector<double> values);

}  // namespace rooftile::measure
