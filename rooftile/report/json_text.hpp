// JSON as reports print it. Private: it costs its includer the JSON library.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

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

// A number as dump() has it, without what dump() sets up for each value; a third of the time.
inline void append_json_number(double value, std::string& text) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> digits;
  const char* end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
  text += std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace rooftile
