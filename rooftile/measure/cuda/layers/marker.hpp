// Empty kernels that divide a profiler's list of kernels.
#pragma once

#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

// Queues `rooftile_case` with a grid of case_index + 1 CTAs of 32 threads on the default stream and waits for it.
Outcome<void> launch_marker(int case_index);

// Queues `rooftile_setup_done`, after which come the runs of a replay alone, and waits for it.
Outcome<void> launch_setup_done();

}  // namespace rooftile::measure
