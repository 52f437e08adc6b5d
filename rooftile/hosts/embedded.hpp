// The files of data/hosts, built into the library.
#pragma once

#include <span>

#include "rooftile/base/embedded_text.hpp"

namespace rooftile {

// Sorted by path: "t4.toml" is of the T4.
std::span<const EmbeddedText> embedded_hosts();

}  // namespace rooftile
