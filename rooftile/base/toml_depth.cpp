#include "rooftile/base/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace rooftile {
namespace {

// Where the text in quotes that starts at `at` is over. One that lacks its end is over with its line, or with the file
// where it may have several lines.
std::size_t after_quoted(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const auto quotes_from = [&](std::size_t from) {
    return std::min(toml.find_first_not_of(quote, from), toml.size()) - from;
  };
  constexpr std::size_t kOfLines = 3, kMostAtItsEnd = 5;  // two quotes may be the last of such a text itself
  const std::size_t opening = quotes_from(at);
  if (opening == 2) return at + 2;
  const bool of_lines = opening >= kOfLines;
  at += of_lines ? kOfLines : 1;
  while (at < toml.size()) {
    if (toml[at] == quote) {
      const std::size_t closing = std::min(quotes_from(at), kMostAtItsEnd);
      if (!of_lines) return at + 1;
      at += closing;
      if (closing >= kOfLines) return at;
    } else if (toml[at] == '\n' && !of_lines) {
      return at;
    } else {
      at += quote == '"' && toml[at] == '\\' ? 2 : 1;
    }
  }
  return toml.size();
}

}  // namespace

std::size_t toml_depth(std::string_view toml) {
  std::vector<std::size_t> dots = {0};  // of the key at hand, outside of brackets and in each that is open
  std::size_t depth = 0, deepest = 0;   // all dots and brackets
  const auto forget_key = [&] {
    depth -= dots.back();
    dots.back() = 0;
  };
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = after_quoted(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '[' || c == '{') {
      dots.push_back(0);
      ++depth;
    } else if ((c == ']' || c == '}') && dots.size() > 1) {
      forget_key();
      dots.pop_back();
      --depth;
    } else if (c == '.') {
      ++dots.back();
      ++depth;
    } else if (c == ',' || (c == '\n' && dots.size() == 1)) {
      forget_key();
    }
    deepest = std::max(deepest, depth);
    ++at;
  }
  return deepest;
}

}  // namespace rooftile
