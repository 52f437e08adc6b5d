// The characters of a UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace rooftile {

// Length in bytes of the character at `at`, 0 if there is none (Unicode 15, table 3-7).
std::size_t utf8_character(std::string_view text, std::size_t at);

// The character of that length at `at`.
char32_t code_point(std::string_view text, std::size_t at, std::size_t length);

// C0, DEL and C1; what ends a line or turns the direction of writing (Unicode 15, section 23.2; UAX #9, section 2).
bool is_control(char32_t code);

// Printable ASCII alone, as most text is.
bool is_plain(std::string_view text);

}  // namespace rooftile
