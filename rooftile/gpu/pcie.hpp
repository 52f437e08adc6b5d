// How fast PCI Express carries bytes.
#pragma once

#include <optional>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// That a GPU's board has; nothing where its file does not say.
std::optional<int> pcie_generation(const Gpu& gpu);

// Of 16 lanes, one direction, as the standard has it.
BytesPerSecond pcie_bandwidth(int generation);

}  // namespace rooftile
