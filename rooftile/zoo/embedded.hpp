// The files of data/transformers, built into the library.
#pragma once

#include <span>

#include "rooftile/base/embedded_text.hpp"

namespace rooftile {

// Sorted by path.
std::span<const EmbeddedText> embedded_transformers();

}  // namespace rooftile
