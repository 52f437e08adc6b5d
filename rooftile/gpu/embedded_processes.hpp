// The files of data/processes, built into the library. write_texts.cmake writes the definition at build time.
#pragma once

#include <span>

#include "rooftile/base/embedded_text.hpp"

namespace rooftile {

// Sorted by path.
std::span<const EmbeddedText> embedded_processes();

}  // namespace rooftile
