// The ways a library could run a convolution or GEMM on tensor cores: tiles and split-K.
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// Calls `visit` with every plan that `options` leave open and that could be the fastest; at least one. A tile or the
// kernel name of the options fixes the tile if the GPU's kernels have it, either way round.
void each_tensor_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit);

}  // namespace rooftile
