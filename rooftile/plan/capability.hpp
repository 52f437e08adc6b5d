// Which generation of NVIDIA's tensor cores a GPU has, as its CUDA compute capability tells.
#pragma once

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// CUDA compute capability (9.0 for Hopper); that of Ampere, 8, where there is none.
double capability_of(const Gpu& gpu);

}  // namespace rooftile
