// How long ago, in bytes, a kernel's tensors were used: what tells whether the L2 still has them.
#pragma once

#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// What a product reads beside its operands to finish what is fused into it: the residual.
std::vector<TensorId> epilogue_inputs(const Workload& workload, const Op& op);

// For each op the bytes of all different tensors that are used from the last use of its epilogue_inputs() on until it
// ends, these included: of an L2 that replaces what was used longest ago, one that holds as many still has them. At
// most kLongAgo, which no L2 holds; 0 without such inputs.
inline constexpr Bytes kLongAgo{4e9};
std::vector<Bytes> epilogue_ages(const Workload& workload);

// Share of what was used `age` bytes ago that the L2 still has, as of the operands of products on tensor cores.
double share_kept(Bytes age, const MemoryLevel& l2);

}  // namespace rooftile
