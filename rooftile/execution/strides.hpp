// Transposes and slices that move nothing. PyTorch makes both by strides alone; the data move where an operator needs
// its input contiguous: reshapes, products, norms and softmax over rows. Element-wise operators, copies and
// convolutions take any strides, so a network that permutes to channels last and back copies nothing; but where weights
// have their channels last, a convolution copies maps that have not (determine_backend_memory_format() in
// aten/src/ATen/native/Convolution.cpp). Engines lay tensors out themselves.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct StrideRules {
  bool nhwc = false;      // convolutions return maps whose channels are contiguous
  bool training = false;  // the gradient of a slice fills a tensor: slices stay copies
};

// Transposes and slices become views, and copies stand where the data have to move.
Workload move_where_needed(Workload workload, const StrideRules& rules);

}  // namespace rooftile
