// JSON as RFC 8259 has it and nothing more: no comments, no repeated keys, no bottomless nesting. For .cpp files only.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "rooftile/base/error.hpp"

namespace rooftile {

// The error says at which line and column the text stops being JSON.
Result<nlohmann::json> parse_strict_json(std::string_view text, std::string_view where);

}  // namespace rooftile
