// Names that people type in any case: ASCII letters in lower case, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace rooftile {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower_case(c);
  return result;
}

}  // namespace rooftile
