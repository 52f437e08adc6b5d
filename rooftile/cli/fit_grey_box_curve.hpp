// rooftile fit --model grey-box --points: how good the model is with few rows.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/learn/grey_box/rows.hpp"

namespace rooftile::cli {

Result<void> try_grey_box(const FitModelArguments& arguments, const GreyBoxRows& rows);

}  // namespace rooftile::cli
