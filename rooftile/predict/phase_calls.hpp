// The calls of a network's passes: which gradients it needs, what is updated, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/predict/call.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {

// One layer for each op and pass of the phase, in the order in which they run; those that are alike share a call.
struct PhaseCalls {
  struct Layer {
    std::size_t call;
    std::string name;
    Shape output;
    StepPart part = StepPart::forward;
    std::vector<std::string> members = {};  // Op::members
    bool general = false;                   // CapturedCall::general
    Issue issue = Issue::unknown;           // if it launches anything
  };
  std::vector<LayerCall> calls;
  std::vector<Layer> layers;
  // Without PredictOptions::breakdown: of those with one call, part and issue the first, and which of these each is.
  std::vector<std::size_t> firsts;
  std::vector<std::uint32_t> order;
};
PhaseCalls phase_calls(const Workload& workload, const PredictOptions& options, Phase phase);

// PredictOptions::pass_bytes of a forward pass: all that no op makes, and the largest maps that one reads and writes.
// 0 of a step, which uses its weights more than once.
Bytes pass_bytes(const Workload& workload, Phase phase);

// Whether layers run as in training, which a forward pass alone may, too.
bool in_training_mode(const PredictOptions& options, Phase phase);

// An estimate of each layer, or of each of the firsts. `models` are of `gpu` and of the calibration of the calls.
std::vector<LayerEstimate> estimate_phase(const PhaseCalls& step, const Gpu& gpu, RefinedModels& models);

// Whether the gradient of each tensor is needed: it is computed from a weight.
std::vector<bool> needs_gradient(const Workload& workload);

}  // namespace rooftile
