// Fitted models between the store and the commands that apply them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {

// What --method names: a model that is built in, a file, one of the user's own store, or as "STORE.db:NAME" of another.
// Errors: those of find_fitted(); a model of the store that is no fitted model.
Result<regression::FittedModel> fitted_of_option(const std::string& selector);

// What --set says of a run to a fitted model.
struct FittedRun {
  int gpus = 1;                                // that share the batch
  std::optional<std::int64_t> iterations;      // of the whole run
  std::map<std::string, std::string> columns;  // what the tables of the fit say besides
};
Result<FittedRun> fitted_run(const Settings& set);

// The names that --method takes: of models that are built in, then of those in the store (`db` as --db has it), if
// there is one.
Result<std::vector<std::string>> known_fitted_names(const std::string& db);

// Keeps the fitted model of a file in the store: `name`, or else the file's without its suffix. Returns that name.
Result<std::string> add_fitted(store::Store& store, const std::string& file, const std::string& name);

}  // namespace rooftile::cli
