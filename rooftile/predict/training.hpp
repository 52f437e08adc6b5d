// The layers of a training step: which gradients a network needs, and in which order.
#pragma once

#include <vector>

#include "rooftile/predict/predict.hpp"

namespace rooftile {

// One estimate for each op and pass of the phase, in the order in which they run.
std::vector<LayerEstimate> estimate_phase(const Workload& workload, const Gpu& gpu, const PredictOptions& options,
                                          Phase phase);

// Whether the gradient of each tensor is needed: it is computed from a weight.
std::vector<bool> needs_gradient(const Workload& workload);

}  // namespace rooftile
