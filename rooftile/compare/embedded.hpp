// The files of data/studies, built into the library.
#pragma once

#include <span>

#include "rooftile/base/embedded_text.hpp"

namespace rooftile {

// Sorted by path: "ubc.toml".
std::span<const EmbeddedText> embedded_studies();

}  // namespace rooftile
