// Which operators of a workload every estimate treats the same: networks repeat their layers.
#pragma once

#include <cstddef>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// For each op the place of the first one alike: the same kind on tensors of the same shapes and types, names apart.
std::vector<std::size_t> first_alike(const Workload& workload);

}  // namespace rooftile
