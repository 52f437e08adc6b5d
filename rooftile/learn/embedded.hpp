// The files of data/fitted as the build embeds them.
#pragma once

#include <span>

#include "rooftile/gpu/embedded.hpp"

namespace rooftile {

// Sorted by path.
std::span<const EmbeddedText> embedded_fitted();

}  // namespace rooftile
