// Numbers of a GPU that are no field of Gpu, found among its facts.
#pragma once

#include <string_view>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// Null if the GPU has none of that key ("core.generation").
const Fact* find_fact(const Gpu& gpu, std::string_view key);

}  // namespace rooftile
