// The ways a library could run a GEMM on the FP32 lanes: kernels and splits of k.
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// One pass of a GEMM as the product C[m, n] = A[m, k] B[k, n] and how its operands are stored.
struct GemmProduct {
  double m = 1, n = 1, k = 1, batch = 1;
  bool k_contiguous_a = true, k_contiguous_b = false;
  bool bias = false;  // C starts from a bias
};

// The gradients are products of the same three sizes; the storage orders follow from the forward pass.
GemmProduct gemm_product(const Im2col& gemm, Pass pass);

// Calls `visit` with every plan that `options` leave open, at least one; with TileChoice::by_belief only with the one
// that the library would take. op.gemm must be a plain GEMM.
void each_gemm_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit);

}  // namespace rooftile
