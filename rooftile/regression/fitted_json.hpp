// The file of a fitted model, "rooftile/fitted/1" (data/schema/fitted-1.json).
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/fitted_model.hpp"

namespace rooftile::regression {

// Numbers are written so that they read back as they were.
std::string fitted_json(const FittedModel& model);

// Errors name the place in the file: unknown keys, numbers out of range, trees that do not hang together.
Result<FittedModel> parse_fitted_json(std::string_view text, std::string_view where);

// From a file ("-": standard input).
Result<FittedModel> read_fitted_model(const std::string& path);

}  // namespace rooftile::regression
