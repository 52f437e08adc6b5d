// JSON as reports print it. Private: it costs its includer the JSON library.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace rooftile {

// With a line break at the end; what is not UTF-8 is replaced.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = 1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A list as such, or what it has alone.
inline std::string json_list_text(const nlohmann::ordered_json& list) {
  return json_text(list.size() == 1 ? list.front() : list);
}

}  // namespace rooftile
