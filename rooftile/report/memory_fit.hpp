// Whether a network fits into a GPU's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

inline Bytes capacity_of(const Gpu& gpu) { return gpu.level("DRAM").capacity; }
inline bool fits(const MemoryUse& memory, const Gpu& gpu) { return memory.total() <= capacity_of(gpu); }

constexpr double kGiB = 1024.0 * 1024 * 1024;

// "41.5 of 24 GiB".
std::string used_of(Bytes used, Bytes capacity);

// What follows where it does not fit: ", batch 12 does"; ", nor does one sample"; "" where that is not known.
std::string what_fits(std::optional<std::int64_t> largest_batch);

}  // namespace rooftile
