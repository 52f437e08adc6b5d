// How fast PCI Express carries bytes.
#pragma once

#include <optional>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// That a GPU's board has; nothing where its file does not say.
std::optional<int> pcie_generation(const Gpu& gpu);

// Of PCIe's rate, what copies of pinned memory reach: NVIDIA's bandwidthTest has 12 to 13 of 15.75 GB/s.
constexpr double kCopyShare = 0.8;

// Of 16 lanes, one direction, as the standard has it.
BytesPerSecond pcie_bandwidth(int generation);

}  // namespace rooftile
