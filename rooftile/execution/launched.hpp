// What a framework launches for a network: the workload with every tensor in the type it is stored in, casts where
// mixed precision needs them, and operators fused as the execution fuses them (docs/execution.md).
#pragma once

#include <cstddef>
#include <optional>

#include "rooftile/workload/execution.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct LaunchOptions {
  Execution execution = Execution::eager;
  DType precision = DType::fp32;
  bool autocast = false;               // RunPrecision
  bool narrow_norms = false;           // of rows, with autocast (AutocastRules)
  bool widening_loads = true;          // with autocast, too
  bool training = false;               // gradients follow
  bool tf32_products = true;           // with tf32: not only convolutions compute in it, products do, too
  bool tf32_for_convolutions = false;  // that is a default of convolutions; where there are none, products were told to
  bool nhwc = false;                   // maps of convolutions have their channels contiguous
  std::optional<std::size_t> linear_bias = {};  // most dimensions of an input to whose product it is added
  bool composites_apart = false;                // what has no kernel of its own is taken apart where it runs eagerly
  bool silu_apart = false;                      // and SiLU is a sigmoid and a product
  bool scattered_targets = false;               // compiled, the gradient of nll_loss is a tensor (with_fused_loss())
  bool epilogues = true;                        // an engine's products take the element-wise operators that follow
  bool narrow_experts = true;                   // in FP8 and FP4, those are, too
  bool narrow_prompts = false;                  // and attention multiplies FP8 in prompts
  bool narrow_scaled_now = false;               // and operands are scaled by their own largest element
  bool wide_sums = false;                       // int8 products write their sums as they are, in int32
  std::optional<DType> weights = {};            // of products, where they are stored narrower than `precision`
  std::optional<DType> expert_weights = {};     // of experts, whatever `weights` says of the others
  std::optional<DType> cache = {};              // of earlier keys and values; none: FP8 beside FP8 and FP4 products
  bool narrow_heads = false;                    // the last product's are, too
  bool fused_attention = false;                 // attention modules call a fused kernel (PyTorch from 2.0 on)
  bool networks_fuse = false;                   // so do networks that scale and mask scores (AttentionCalls)
  bool short_fused_attention = false;           // an engine fuses FasterTransformer's kinds of attention alone
  bool separate_attention = false;              // an engine fuses none
  bool conv_epilogues = false;                  // FusionRules
  bool copied_caches = false;                   // copy_caches()
  bool unrolled_cells = false;                  // recurrent layers are operators of their steps
  bool gates_apart = false;                     // FusionRules
  bool llama_cpp = false;                       // prompts run as llama.cpp has them
  bool int8_products = true;                    // of integers of 8 bits compute in them
};

// Of a workload that passed validate(). The result is for prediction only: operators of several members carry
// inputs beyond those of their kind.
Workload launched(Workload workload, const LaunchOptions& options);

// Whether an op multiplies integers of 8 bits, as networks quantised beforehand do.
bool multiplies_int8(const Workload& workload, const Op& op);

// Whether it is a product with weights, not with another activation.
bool multiplies_by_weights(const Workload& workload, const Op& op);

// What an op computes in: products of integers of 8 bits in these; others in mixed precision the type of its first
// input, else the one of the run, but FP32 for products that TF32 is not for.
DType precision_of(const Workload& workload, const Op& op, const LaunchOptions& options);

// With all its floating tensors in `precision`.
Workload stored_as(Workload workload, DType precision);

}  // namespace rooftile
