// The bias of convolutions as frameworks add it that call a library for the convolution.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// A kernel of its own after each convolution with a bias: cuDNN and MIOpen are called without it, and the result is
// added to in place (PyTorch, aten/src/ATen/native/Convolution.cpp: `output.add_(reshape_bias(…))`). Not after
// PyTorch's own depthwise kernel, which takes the bias, and which runs unless maps are NHWC. Of a workload whose
// tensors have the types that they are stored in.
Workload add_biases_apart(Workload workload, bool nhwc);

}  // namespace rooftile
