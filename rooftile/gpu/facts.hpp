// Numbers of a GPU that are no field of Gpu, found among its facts.
#pragma once

#include <string_view>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// Null if the GPU has none of that key ("core.generation").
const Fact* find_fact(const Gpu& gpu, std::string_view key);

// Which kernels libraries have for the GPU, as NVIDIA's compute capability: 9.0 for Hopper. Every GPU that was read
// from a file has it; one made in code, without facts, counts as Ampere, 8.
double generation_of(const Gpu& gpu);

}  // namespace rooftile
