// The grey-box model and its comparison with others as text.
#pragma once

#include <string>
#include <vector>

#include "rooftile/learn/compare_models.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// What each operation's value is made of and how far it was off on rows that its parts had not seen; the physics by
// part and GPU.
std::string grey_box_report(const regression::FittedModel& model, std::size_t width = kAnyWidth);

// Measured times and what the model says of the rows that it was fitted to, for the plots of regression.hpp: a colour
// for each part.
FittedPoints fitted_points(const GreyBoxRows& rows, const std::vector<regression::Predicted>& predicted);

// One line a split, operation and model.
std::string model_comparison_report(const ModelComparison& comparison, std::size_t width = kAnyWidth);

// "rooftile/model-comparison/1": the same figures as fractions.
std::string model_comparison_json(const ModelComparison& comparison);

}  // namespace rooftile
