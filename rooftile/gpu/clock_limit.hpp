// A GPU whose core clock was kept from exceeding a value, as by `nvidia-smi --applications-clocks`.
// Private.
#pragma once

#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// The same GPU where its clocks are no higher; else its rates of arithmetic, shared memory, L1 and L2 are those of the
// lower clock, and its facts stay as they are.
Gpu with_clock_limit(Gpu gpu, Hertz most);

}  // namespace rooftile
