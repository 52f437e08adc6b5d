// Biases as frameworks add them that call a library for the convolution or product.
#pragma once

#include <cstddef>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// A kernel of its own after each convolution with a bias: cuDNN and MIOpen are called without it, and the result is
// added to in place (PyTorch, aten/src/ATen/native/Convolution.cpp: `output.add_(reshape_bias(…))`). Not after
// PyTorch's own depthwise kernel, which takes the bias, and which runs unless maps are NHWC. Of a workload whose
// tensors have the types that they are stored in.
Workload add_biases_apart(Workload workload, bool nhwc);

// The same of products of inputs with more than `dimensions` (dimensions_with_fused_bias()).
Workload add_linear_biases_apart(Workload workload, std::size_t dimensions);

// The same of all products: FasterTransformer calls cuBLAS without a bias, and the kernel that comes next adds it
// (src/fastertransformer/layers/FfnLayer.cc, "add bias act"). Not before attention of one query, whose kernel does.
Workload add_product_biases_apart(Workload workload);

// With one kernel for the biases of products that were merged: FasterTransformer's of queries, keys and values
// (invokeAddFusedQKVBiasTranspose, invokeTrtAddQkvBias).
Workload join_product_biases(Workload workload);

}  // namespace rooftile
