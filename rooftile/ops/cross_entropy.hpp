// Cross entropy in a compiled training step: kernels that compute the softmax of a row where they need it, and write
// none of it (execution/loss.hpp says when).
#pragma once

#include <vector>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Functions of a Reduce from scores to a loss for each row. Scattered: its gradient first writes a tensor as large as
// the scores, in the type of the losses, that is zero but for one element of a row, and then reads it.
inline constexpr const char* kCrossEntropy = "cross entropy";
inline constexpr const char* kScatteredCrossEntropy = "cross entropy, scattered";

bool is_cross_entropy(const Reduce& reduce);

// Of an Op whose kind is_cross_entropy(). Forward: the row's maximum, then its sum of exponentials; both stay, as one
// number of FP32.
StreamKernel cross_entropy_kernel(const Workload& workload, const Op& op);
std::vector<StreamKernel> cross_entropy_gradient(const Workload& workload, const Op& op);

}  // namespace rooftile
