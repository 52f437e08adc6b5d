// What validate found as a JSON value, for methods and for fitted models. Private: it costs its includer the JSON
// library.
#pragma once

#include <nlohmann/json.hpp>

#include "rooftile/validate/validate.hpp"

namespace rooftile {

nlohmann::ordered_json json_of(const Validation& validation);

}  // namespace rooftile
