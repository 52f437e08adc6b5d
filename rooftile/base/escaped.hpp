// Text from outside as reports show it, so that it does nothing to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace rooftile {

// `text` with control characters (is_control) as "\u001b" and bytes that are not UTF-8 as "\xb5".
std::string escaped(std::string_view text);

// The same of a whole text, in which ends of lines and tabs stay; the bytes only if `bytes_too`. JSON stays the JSON
// that it was.
std::string escaped_lines(std::string_view text, bool bytes_too);

}  // namespace rooftile
