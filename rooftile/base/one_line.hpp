// Text from outside as a message may quote it: one line, of bearable length, that does nothing to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooftile {

// C0, DEL and C1, what separates lines and what turns the direction of writing; as UTF-8.
bool has_control_characters(std::string_view text);

// `text` with '?' for every control character and every byte that is not UTF-8; what goes beyond `limit` bytes is cut
// off before a character and marked by "…".
std::string one_line(std::string_view text, std::size_t limit = 200);

}  // namespace rooftile
