// What of a predicted run GPU and host are at work.
#pragma once

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// The GPU: all but what it waits for launches and for its input.
Seconds gpu_busy(const Prediction& prediction);

// All cores of the host, of as much time as they would take together: issuing kernels keeps one of them busy. Of a
// prediction with an input.
Seconds cores_busy(const Prediction& prediction);

}  // namespace rooftile
