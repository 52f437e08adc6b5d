// The timeline of a step in the form that Perfetto and chrome://tracing read (Trace Event Format, JSON), and
// profile::read_profile(): kernels are those of a profiler's trace.
#pragma once

#include <string>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/parallel/parallel_step.hpp"

namespace rooftile {

// A process for each pipeline stage, with a thread for each of its streams. Passes hold their kernels and exchanges;
// arrows lead to what waits on another stream or stage. Of steps with more than kMostTracedPieces kernels and exchanges
// only the passes of the first micro-batches hold them ("kernels_of" in otherData says of how many).
constexpr std::size_t kMostTracedPieces = 200000;
std::string step_trace(const std::string& model, const Gpu& gpu, const Parallelism& way, const StepTimeline& timeline);

}  // namespace rooftile
