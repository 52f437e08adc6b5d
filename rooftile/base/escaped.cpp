#include "rooftile/base/escaped.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "rooftile/base/utf8.hpp"

namespace rooftile {
namespace {

enum class Keep { nothing, lines, lines_and_bytes };

// The characters from `at` on that stay as they are, ASCII all of them; most texts are nothing else.
std::size_t plain_ahead(std::string_view text, std::size_t at, Keep keep) {
  const auto stays = [&](char c) {
    return (c >= ' ' && c <= '~') || (keep != Keep::nothing && (c == '\n' || c == '\t'));
  };
  const auto* from = text.begin() + at;
  return static_cast<std::size_t>(std::find_if_not(from, text.end(), stays) - from);
}

std::string escaped(std::string_view text, Keep keep) {
  if (is_plain(text)) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t plain = plain_ahead(text, at, keep); plain > 0) {
      result += text.substr(at, plain);
      at += plain;
      continue;
    }
    const std::size_t length = utf8_character(text, at);
    const bool stays = keep != Keep::nothing && (text[at] == '\n' || text[at] == '\t');
    if (length == 0 && keep != Keep::lines_and_bytes) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (length > 0 && !stays && is_control(code_point(text, at, length))) {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point(text, at, length)));
    } else {
      result += text.substr(at, std::max<std::size_t>(length, 1));
    }
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace

std::string escaped(std::string_view text) { return escaped(text, Keep::nothing); }

std::string escaped_lines(std::string_view text, bool bytes_too) {
  return escaped(text, bytes_too ? Keep::lines : Keep::lines_and_bytes);
}

}  // namespace rooftile
