// Mixed precision as PyTorch's autocast has it: weights stay FP32, each operator has the type that a list gives it, and
// casts stand where types meet.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class AutocastList {
  narrow,   // products: inputs are cast down
  wide,     // sums of many terms and steep functions: inputs are cast up
  promote,  // all others: the widest of their inputs
};

// PyTorch, "Automatic Mixed Precision package", CUDA op-specific behaviour (1.13 to 2.9).
AutocastList autocast_list(const OpKind& kind);

struct AutocastRules {
  DType narrow = DType::fp16;
  bool narrow_norms = false;  // normalisations of rows are on the narrow list: apex's, timm's --fast-norm
  // Kernels widen what they load where they can: a softmax FP16, but not BF16 (softmax() in
  // aten/src/ATen/native/SoftMax.cpp), a sum both (make_reduction_from_out_ty() in
  // aten/src/ATen/native/ReduceOpsUtils.h).
  bool widening_loads = true;
};

// Of a workload whose floating tensors are FP32. A weight is cast once, however many read it; activations at every use.
Workload autocast(Workload workload, const AutocastRules& rules);

}  // namespace rooftile
