// The queue between host and GPU: the host issues operators one after another, the GPU runs what has been issued.
#pragma once

#include <span>

#include "rooftile/calibration/host.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// Layers in the order in which they are issued; those that launch nothing cost nothing.
HostShare host_share(std::span<const LayerEstimate> layers, const HostCosts& costs);

// Until the last kernel has ended, where each takes `scale` of its time and each call of the host `host_scale` of its.
Seconds queue_time(std::span<const LayerEstimate> layers, const HostCosts& costs, double scale = 1,
                   double host_scale = 1);

// From the end of the part before to the end of its last kernel, each part of a step. Without costs the host takes no
// time.
PhaseTimes phase_times(std::span<const LayerEstimate> layers, const HostCosts* costs);

}  // namespace rooftile
