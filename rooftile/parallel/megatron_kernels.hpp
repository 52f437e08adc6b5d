// What Megatron Core launches around the products of an MLP or of experts in place of, or beside, the network's own
// operators.
#pragma once

#include <cstdint>
#include <vector>

#include "rooftile/parallel/pass_kernel.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

struct MegatronKernels {
  std::vector<PassKernel> forward, backward;
  // Calls of the host beyond one for each product of the layer: those of the kernels above, and of each further expert.
  double calls_forward = 0, calls_backward = 0;
};

// Of a gated MLP the activation and the product with it, which are one kernel (bias_activation_fusion;
// fusions/fused_bias_swiglu.py). `rows` positions are `width` wide.
MegatronKernels megatron_gate(std::int64_t rows, std::int64_t width, const Gpu& gpu, const PredictOptions& options);

// A GPU's experts are those of `part`, which `picks` positions take. Of megatron/core/transformer/moe/experts.py
// (TEGroupedMLP), token_dispatcher.py and fusions/fused_bias_geglu.py:
//
//     clamps         of the activation's inputs, each half by itself, which are then joined again
//     biases         of the last product, times the router's FP32 weights: an outer product and a sum for each expert,
//                    what these give joined, and narrowed again; gradients of biases and weights of the router are sums
//                    of products
//     sorting        by expert, where an all-to-all brought parts of several (sort_chunks_by_idxs), and back
//     products       cuBLAS is called for each expert (Transformer Engine, pytorch/module/grouped_linear.py), and in
//                    FP8 each expert's operands are converted by themselves
//
// `exchanged`: positions come from other GPUs, by NCCL's all-to-all.
MegatronKernels megatron_experts(const Transformer& part, std::int64_t picks, bool exchanged, const Gpu& gpu,
                                 const PredictOptions& options);

}  // namespace rooftile
