// How deep a TOML text nests, before a parser that recurses reads it.
#pragma once

#include <cstddef>
#include <string_view>

namespace rooftile {

// At least as many tables and arrays as lie in each other by the brackets and dotted keys of any one line or value, up
// to the first error of the text; texts in quotes and comments count nothing. A dot in a number may count as one of a
// key, up to the next comma.
std::size_t toml_depth(std::string_view toml);

}  // namespace rooftile
