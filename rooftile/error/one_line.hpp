// Text from outside as a message may quote it: one line, of bearable length, that does nothing to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooftile {

// Length of the control character (C0, DEL, or C1 as UTF-8) at `at`, in bytes; 0 if another character is there.
std::size_t control_character(std::string_view text, std::size_t at);

// `text` with '?' for every control character and every byte that is not UTF-8; what goes beyond `limit` bytes is cut
// off before a character and marked by "…".
std::string one_line(std::string_view text, std::size_t limit = 200);

}  // namespace rooftile
