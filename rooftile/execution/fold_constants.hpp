// What an engine computes once, when it is built.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Without the operators that read nothing but weights, whose results become weights: TensorRT folds constants, and
// FasterTransformer computes the bias of relative positions as it loads Swin (src/fastertransformer/models/swin,
// gen_relative_pos_bias). Weights that are unpacked for each product stay packed.
Workload fold_constants(Workload workload);

}  // namespace rooftile
