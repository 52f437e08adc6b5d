// A text as TOML has it, in quotes.
#pragma once

#include <string>
#include <string_view>

namespace rooftile::measure {

// In double quotes; quotes and backslashes are escaped, control characters and what is not UTF-8 are replaced.
std::string toml_text(std::string_view text);

}  // namespace rooftile::measure
