// The result of `validate` as text, JSON, CSV and a plot (docs/validate.md).
#pragma once

#include <string>
#include <vector>

#include "rooftile/report/text.hpp"
#include "rooftile/validate/choice.hpp"
#include "rooftile/validate/measured_tables.hpp"
#include "rooftile/validate/validate.hpp"

namespace rooftile {

// A page to read: one line a group and method, then what no figure covers.
std::string validation_table(const Validation& validation, std::size_t width = kAnyWidth);

// "rooftile/validation/1": the same figures as fractions.
std::string validation_json(const Validation& validation);

// One row a group and method, as fractions; the rows of `overall` have empty keys.
std::string validation_csv(const Validation& validation);

// The rows behind the figures, each by each method: where they are from, every column of every table, what is predicted
// and what is compared.
std::string validation_rows(const Validation& validation, const std::vector<MeasuredTable>& tables);

// Predicted over measured as SVG, both axes logarithmic; a colour for each method, or, of one method, for each group.
std::string validation_plot(const Validation& validation, const std::vector<MeasuredTable>& tables);

// Groups of choices: how often the algorithm and the tile are right, and what a wrong one costs.
std::string choice_table(const std::vector<ChoiceGroup>& groups, const std::vector<std::string>& by,
                         std::size_t width = kAnyWidth);

}  // namespace rooftile
