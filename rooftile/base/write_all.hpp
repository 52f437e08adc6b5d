// Writing to an open file to the last byte.
#pragma once

#include <string_view>

namespace rooftile {

// Writes all of `bytes` to the descriptor `file`, however many calls it takes. 0 or the error number.
int write_all(int file, std::string_view bytes);

}  // namespace rooftile
