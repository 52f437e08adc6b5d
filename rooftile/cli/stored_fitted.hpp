// Fitted models between the store and the commands that apply them.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {

// What --fitted names: a model that is built in, a file, or one of the store (`db` as --db has it). Errors: those of
// find_fitted(); a model of the store that is no fitted model.
Result<regression::FittedModel> fitted_of_option(const std::string& selector, const std::string& db);

// The names that --fitted takes: of models that are built in, then of those in the store, if there is one.
Result<std::vector<std::string>> known_fitted_names(const std::string& db);

// Keeps the fitted model of a file in the store: `name`, or else the file's without its suffix. Returns that name.
Result<std::string> add_fitted(store::Store& store, const std::string& file, const std::string& name);

}  // namespace rooftile::cli
