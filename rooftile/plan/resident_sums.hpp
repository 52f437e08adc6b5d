// CTAs that an SM holds at once where what limits them is room for their sums.
#pragma once

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// Sums of 4 bytes take half of an SM's registers, but none of those for accumulation alone, or its tensor memory. From
// 1 to 4: more CTAs help no further. How libraries' kernels divide the registers is assumed, for all vendors alike.
double resident_by_sums(double sums_of_cta, const SmLimits& sm, bool in_tensor_memory = false);

}  // namespace rooftile
