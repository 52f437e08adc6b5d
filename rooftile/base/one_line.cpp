#include "rooftile/base/one_line.hpp"

#include "rooftile/base/utf8.hpp"

namespace rooftile {
namespace {

// Length in bytes of the control character at `at`, 0 if another character is there.
std::size_t control_character(std::string_view text, std::size_t at) {
  const std::size_t length = utf8_character(text, at);
  return length > 0 && is_control(code_point(text, at, length)) ? length : 0;
}

}  // namespace

bool has_control_characters(std::string_view text) {
  if (is_plain(text)) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (control_character(text, at) > 0) return true;
  }
  return false;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t control = control_character(text, at);
    const std::size_t character = control > 0 ? 0 : utf8_character(text, at);
    const std::string_view piece = character > 0 ? text.substr(at, character) : "?";
    if (piece.size() > limit - line.size()) return line + "…";
    line += piece;
    at += control > 0 ? control : piece.size();
  }
  return line;
}

}  // namespace rooftile
