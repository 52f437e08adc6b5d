// The files of data/costs, built into the library.
#pragma once

#include <span>

#include "rooftile/gpu/embedded.hpp"

namespace rooftile {

// Sorted by path.
std::span<const EmbeddedText> embedded_costs();

}  // namespace rooftile
