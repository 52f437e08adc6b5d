// Medians and percentiles.
#pragma once

#include <span>
#include <vector>

namespace rooftile {

// The value that a share of the values lies below, between two of them in proportion; 0 of none.
double quantile(std::vector<double> values, double share);

// The same of values that are sorted.
double sorted_quantile(std::span<const double> sorted, double share);

}  // namespace rooftile
