// A network in FP8 as frameworks run it: products with weights multiply FP8, all else stays in 16 bits.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of a workload whose floating tensors are of type kBesideFp8. Convolutions and products with weights read FP8, but for
// the last ones (a classifier, the head of a language model), which frameworks keep in 16 bits: Micikevicius et al.,
// "FP8 Formats for Deep Learning", arXiv:2209.05433, section 3; Transformer Engine; TensorRT-LLM's quantisation of all
// layers but lm_head. Their inputs are converted, once however many read them. Weights are stored in FP8 for inference
// and converted from BF16 in training; what attention keeps of earlier positions is FP8, too.
struct Fp8Use {
  bool training = false;
  bool experts = true;      // theirs, too: products of many matrices
  bool scaled_now = false;  // by the largest element of what is converted, which is looked for first
};
Workload multiply_in_fp8(Workload workload, const Fp8Use& use);

}  // namespace rooftile
