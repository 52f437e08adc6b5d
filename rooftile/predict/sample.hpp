#pragma once

#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of the first input that has the network's batch.
Sample sample_of(const Workload& workload);

}  // namespace rooftile
