// How wide a table may be where it is printed.
#pragma once

#include <cstddef>
#include <string>

namespace rooftile::cli {

// In columns, on the output that -o names: what COLUMNS says, else what the terminal has (80 at least); any width in a
// file or a pipe, where lines are searched and not looked at, and on a terminal that does not know its own.
std::size_t page_width(const std::string& path);

}  // namespace rooftile::cli
