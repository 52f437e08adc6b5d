// Fitted models by name: the files of data/fitted, built into the library, and a user's own.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile {

// Names of the models that are built in.
std::vector<std::string> fitted_names();

// `selector` is one of these names, or a file: "-" (standard input), a path with a slash or ending in ".json". Errors:
// unknown, with the nearest name; what is wrong with the file.
Result<regression::FittedModel> find_fitted(const std::string& selector);

}  // namespace rooftile
