// The files of data/ceilings, built into the library.
#pragma once

#include <span>

#include "rooftile/gpu/embedded.hpp"

namespace rooftile {

// Sorted by path.
std::span<const EmbeddedText> embedded_ceilings();

}  // namespace rooftile
