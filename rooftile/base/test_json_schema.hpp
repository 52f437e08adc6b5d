// For tests: JSON beside the schemas of data/schema.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace rooftile {

// Whether `value` is as data/schema/`name` wants it. Tests run in the root of the project.
bool fits_schema(const nlohmann::json& value, const std::string& name);

}  // namespace rooftile
