// The ways a library could run a convolution on NVIDIA's tensor cores: implicit GEMM on maps whose channels are
// contiguous, and the changes of layout around it.
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// Whether cuDNN has Volta's kernels for it. Turing had them from cuDNN 7, and its networks were measured with that.
bool is_volta_or_turing(const Gpu& gpu);

// Calls `visit` with every plan that `options` leave open and that could be the fastest; at least one. A tile or the
// kernel name of the options fixes the tile, rows (output positions; of a weight gradient filters) first.
void each_tensor_conv_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit);

}  // namespace rooftile
