// Recurrent layers as frameworks run them whose cells are operators of their own: products and elementwise kernels for
// each step (MXNet's LSTMCell.unroll, PyTorch's LSTMCell, TensorFlow's while_loop), instead of cuDNN's one call.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Every recurrent layer as the operators of its steps. Initial states are zeros, whose product is left out.
Workload unroll_cells(Workload workload);

}  // namespace rooftile
