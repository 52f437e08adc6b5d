// Files that are there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/error/error.hpp"

namespace rooftile::measure {

// Replaces the file at `path`; until the new one is on the disk, the old one stays.
Result<void> write_whole_file(const std::string& path, std::string_view text);

}  // namespace rooftile::measure
