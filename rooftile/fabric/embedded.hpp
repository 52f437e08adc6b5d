// The files of data/clusters, built into the library.
#pragma once

#include <span>

#include "rooftile/base/embedded_text.hpp"

namespace rooftile {

// Sorted by path: "dgx-a100.toml".
std::span<const EmbeddedText> embedded_clusters();

}  // namespace rooftile
