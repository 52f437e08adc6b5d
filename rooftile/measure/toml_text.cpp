#include "rooftile/measure/toml_text.hpp"

#include <cstddef>

#include "rooftile/base/one_line.hpp"

namespace rooftile::measure {

std::string toml_text(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  std::string quoted = "\"";
  for (const char c : one_line(text, kLongest)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace rooftile::measure
