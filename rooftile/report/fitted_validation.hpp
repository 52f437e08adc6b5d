// Fitted models against measured rows, as text, CSV and a plot.
#pragma once

#include <string>

#include "rooftile/learn/fitted_validation.hpp"

namespace rooftile {

// The page of validation_table(), then sums of times by group and how many rows lie beyond the fit.
std::string fitted_validation_table(const FittedValidation& result);

// The rows behind the figures: place, group, measured and predicted time with its interval in us.
std::string fitted_validation_rows(const FittedValidation& result);

// Predicted over measured as SVG, a colour for each group.
std::string fitted_validation_plot(const FittedValidation& result);

}  // namespace rooftile
