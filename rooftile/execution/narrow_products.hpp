// A network in FP8 or FP4 as frameworks run it: products with weights multiply it, all else stays in 16 bits.
#pragma once

#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of a workload whose floating tensors are of type kBesideNarrow. Convolutions and products with weights read FP8, but
// for the last ones (a classifier, the head of a language model), which frameworks keep in 16 bits: Micikevicius et
// al., "FP8 Formats for Deep Learning", arXiv:2209.05433, section 3; Transformer Engine; TensorRT-LLM's quantisation of
// all layers but lm_head. Their inputs are converted, once however many read them. Weights are stored in FP8 for
// inference and converted from BF16 in training. FP4 is the same for products (NVIDIA, arXiv:2509.25149, section 4;
// Model Optimizer's NVFP4_DEFAULT_CFG); there are no convolutions in it.
struct NarrowUse {
  DType type = DType::fp8;
  bool training = false;
  bool experts = true;      // theirs, too: products of many matrices
  bool prompts = false;     // attention of whole prompts multiplies FP8, as decoding reads it
  bool scaled_now = false;  // by the largest element of what is converted, which is looked for first
};
Workload multiply_narrow(Workload workload, const NarrowUse& use);

// Of each op, whether it is a product that no other follows: a classifier, the head of a language model.
std::vector<bool> last_products(const Workload& workload);

// Weights of experts: many matrices, which products read.
bool is_of_experts(const Tensor& tensor);
bool has_experts(const Workload& workload);

}  // namespace rooftile
