// Fitted models against measured rows, as text, CSV and a plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/learn/fitted_validation.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// The page of validation_table(width), then sums of times by group and how many rows lie beyond the fit.
std::string fitted_validation_table(const FittedValidation& result, std::size_t width = kAnyWidth);

// "rooftile/validation/1" with `beyond`: how many rows lie beyond the fit, and the GPUs and precisions that it had not.
std::string fitted_validation_json(const FittedValidation& result);

// The same to be read, one note each; none where no row lies beyond the fit. The CSV of the figures has no place for
// them.
std::vector<std::string> notes_of_beyond(const FittedValidation& result);

std::size_t rows_beyond(const FittedValidation& result);

// The rows behind the figures: place, group, measured and predicted time with its interval in us.
std::string fitted_validation_rows(const FittedValidation& result);

// Predicted over measured as SVG, a colour for each group.
std::string fitted_validation_plot(const FittedValidation& result);

}  // namespace rooftile
