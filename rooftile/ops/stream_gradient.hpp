// Backward passes of operators that stream their tensors: what the gradient reads and writes. With X the inputs, Y the
// output and d their gradients.
#pragma once

#include <string_view>
#include <vector>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Whether the gradient of that element-wise function is dY itself.
bool passes_through(std::string_view function);

// The kernels that compute the gradients of all inputs and weights of an operator:
//   element-wise, one input   read dY and X, write dX
//   sum, difference           none for activations, whose gradients are dY itself; of a bias: read dY, write it
//   other, several inputs     read dY and all X, write all dX
//   pool                      max: read dY and where the maxima were, write dX; average: read dY, write dX
//   normalisation             batch: read X and dY for the sums, then both again, write dX (in one kernel where maps
//                             are planes); rows: the same in two passes over a row, and sums along columns for the
//                             weights; lrn: read X, Y, dY, write dX
//   softmax                   read Y and dY in two passes, write dX
//   reduction, copy           read dY, write dX
//   concatenation             none: the gradients are parts of dY
//   dropout                   read dY and the mask, write dX
// None for other views; not for convolutions, GEMMs, attention and recurrent layers.
std::vector<StreamKernel> gradient_kernels(const Workload& workload, const Op& op, const StreamRun& run = {});

// The same of a row of a layer table, with as many inputs as its kind has; `element` is the size of one element.
std::vector<StreamKernel> gradient_kernels(const StreamLayer& layer, Bytes element,
                                           NormKernels norms = NormKernels::serving);

// Where two operators read a tensor, its gradients are added up: once fewer than it has readers.
StreamKernel gradient_sum(const Tensor& tensor);

// Of all those kernels: what they read and write, rows that are read again in later passes once.
OperandBytes total_bytes(const std::vector<StreamKernel>& kernels);

}  // namespace rooftile
