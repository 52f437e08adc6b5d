// Why warps stall, under the vocabulary of profile/stall_reasons.hpp, per kernel and per network.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/roofline/kernel.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile::roofline {

// A coarse estimate from what limits a predicted layer: the time that each thing alone would take, as shares of their
// sum. Arithmetic and power: pipe_busy; shared memory: exec_dependency; latency, L2 and DRAM: memory_dependency; L1:
// memory_throttle. Launches stall no warp. Empty where nothing but launches takes time.
std::vector<StallShare> estimated_stalls(const TimeBounds& cases);

// Stalls of all kernels of each origin together, weighted by their time.
std::vector<NetworkStalls> network_stalls(std::span<const Kernel> kernels);

// The names that a network or a kernel of the view has a share of, in the order in which reports stack them.
std::vector<std::string> used_stall_names(const View& view);

}  // namespace rooftile::roofline
