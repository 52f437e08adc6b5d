// What the models of fit have in common where they report: formats and pictures.
#pragma once

#include "rooftile/cli/fit_models.hpp"
#include "rooftile/report/regression.hpp"

namespace rooftile::cli {

// --format: table or json; as `-o` is where the model goes, its suffix has no say, except where the report goes there.
Result<Format> fit_format(const FitModelArguments& arguments);

// Error: two of -o, --plot and --residuals name one place, where the later would lie over the earlier or behind it.
Result<void> check_fit_places(const FitModelArguments& arguments);

// The files of --plot and --residuals, where they were asked for.
Result<void> draw_fit(const FitModelArguments& arguments, const FittedPoints& points);

}  // namespace rooftile::cli
