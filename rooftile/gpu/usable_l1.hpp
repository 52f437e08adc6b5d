// How much of an L1 a kernel's loads can rely on.
#pragma once

#include <algorithm>

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// Bytes of one SM's L1 that keep lines for later steps. Where L1 and shared memory are one array, what the largest
// shared memory leaves; one array is assumed where the L1 is not smaller than the shared memory. Of that the share
// that is usable: CTAs do not advance in step as the simulator has them, and lines on their way from the L2 hold a
// place too.
inline Bytes usable_l1(const Gpu& gpu) {
  const MemoryLevel& l1 = gpu.level("L1");
  const Bytes whole = l1.capacity >= gpu.sm.smem ? l1.capacity - gpu.sm.smem : l1.capacity;
  return std::max(l1.line, l1.usable * whole);
}

}  // namespace rooftile
