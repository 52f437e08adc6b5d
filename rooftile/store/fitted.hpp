// Fitted models in the store: texts with a name. What is in them is the business of those who fit and apply them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::store {

struct FittedModel {
  std::string name;
  std::string kind;       // "layers", "network", "calibration", …
  std::string fitted_on;  // for people: which rows, GPUs and software
  std::string date;       // of the fit; may be empty
  std::string text;       // the file: TOML or JSON

  bool operator==(const FittedModel&) const = default;
};

// The store must be open to write. Errors: a name that is empty or holds control characters, a name that is taken
// (unless `replace`), those of the store.
Result<void> save_fitted(Store& store, const FittedModel& model, bool replace = false);

// Errors: no such name, with the nearest; a text that is not as it was saved.
Result<FittedModel> load_fitted(Store& store, std::string_view name);

// All, by name, without their texts.
Result<std::vector<FittedModel>> list_fitted(Store& store);

// Error: no such name.
Result<void> remove_fitted(Store& store, std::string_view name);

}  // namespace rooftile::store
