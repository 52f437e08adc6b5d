// The timeline of a step in the form that Perfetto and chrome://tracing read (Trace Event Format, JSON).
#pragma once

#include <string>

#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {

// A process for each pipeline stage, with a thread for each of its streams; grids are not known at this level, bytes
// and FLOPs stand in `args`, arrows lead from what is sent to what waits for it.
std::string step_trace(const std::string& model, const Parallelism& way, const StepTimeline& timeline);

}  // namespace rooftile
