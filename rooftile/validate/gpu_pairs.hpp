// Whether predictions put GPUs in the order that measurements have: what somebody who chooses between two wants to
// know.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/validate/validate.hpp"

namespace rooftile {

// By key and method; without `by`, and at the end of each method with it, of all rows, without a key. Groups without a
// pair are not there.
std::vector<GpuPairs> gpu_pairs(const Validation& validation, const std::vector<MeasuredTable>& tables);

}  // namespace rooftile
