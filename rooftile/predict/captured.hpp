// A captured step: its calls, as they were launched.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/captured.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// The launches of the phase. Of a workload that is a captured step.
PhaseCalls captured_calls(const Workload& workload, const PredictOptions& options, Phase phase);

// A captured step with all its launches as ops, under their names; for looking at them.
Workload launches_as_ops(const Workload& workload);

MemoryUse captured_memory(const CapturedStep& step);

// That the options are of a run as it was captured. Errors: another precision (but TF32 for FP32), a fused execution,
// other layers of memory, a phase that the step has no part of.
Result<void> check_captured(const Workload& workload, const PredictOptions& options, Phase phase);

// What share of the time is of operators of no kind of Rooftile's, and which they are: a sentence. Empty: none.
std::string general_note(const CapturedStep& step, const InOrder<LayerEstimate>& layers);

}  // namespace rooftile
