// The grey-box model and its comparison with others as text.
#pragma once

#include <string>
#include <vector>

#include "rooftile/learn/compare_models.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

// What each operation's value is made of and how far it was off on rows that its parts had not seen; the physics by
// part and GPU.
std::string grey_box_report(const regression::FittedModel& model);

// One line a part and GPU: how far a model's predictions are from what was measured, rows beyond the sizes of the fit
// counted.
std::string grey_box_errors_report(const GreyBoxRows& rows, const std::vector<regression::Predicted>& predicted);

// One line a split, operation and model.
std::string model_comparison_report(const ModelComparison& comparison);

}  // namespace rooftile
