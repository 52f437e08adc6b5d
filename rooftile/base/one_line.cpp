#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

// Length in bytes of the UTF-8 character at `at`, 0 if there is none (Unicode 15, table 3-7).
std::size_t utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                             : (lead & 0xf0) == 0xe0        ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  // Neither an overlong form, nor a surrogate, nor beyond U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (length == 0 || byte(at + 1) < low || byte(at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// Length in bytes of the control character at `at`, 0 if another character is there.
std::size_t control_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : ' '; };
  if (byte(at) < 0x20 || byte(at) == 0x7f) return 1;
  return byte(at) == 0xc2 && byte(at + 1) >= 0x80 && byte(at + 1) <= 0x9f ? 2 : 0;
}

}  // namespace

bool has_control_characters(std::string_view text) {
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
