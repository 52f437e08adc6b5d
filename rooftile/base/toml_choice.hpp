// TOML files that ship with the program, and those of a user: "t4" is t4.toml of the first, a path ends in ".toml".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/embedded_text.hpp"
#include "rooftile/base/error.hpp"

namespace rooftile {

// What the files are called, without their suffix, in their order.
std::vector<std::string> toml_ids(std::span<const EmbeddedText> files);

struct ChosenToml {
  std::string text, where;  // where: the path, for errors
};

// `what` is one of them, "host". Errors: no such file; no such id, with the nearest and all of them.
Result<ChosenToml> choose_toml(std::span<const EmbeddedText> files, std::string_view selector, std::string_view what);

}  // namespace rooftile
