// Whether a network fits into a GPU's memory.
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

inline bool fits(const MemoryUse& memory, const Gpu& gpu) { return memory.total() <= gpu.level("DRAM").capacity; }

}  // namespace rooftile
