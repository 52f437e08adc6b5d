// The grey box's value: the mean of its members, how they are weighed and how far it may be off.
#pragma once

#include <cstddef>
#include <functional>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

// Of rows of one operation, for the GPUs of the fit (`own`) or for others. `count` is called after each of its
// fits_of_value() fits of the members.
Result<regression::FittedEquation> fit_value(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options,
                                             const std::function<void()>& count);
std::size_t fits_of_value(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options);

// Whether an equation is a mean of members as fit_value() makes it; a file may say anything.
Result<void> check_value(const regression::FittedEquation& equation);

}  // namespace rooftile
