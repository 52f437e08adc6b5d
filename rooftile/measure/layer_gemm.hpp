// The matrix product behind each pass of a GEMM.
#pragma once

#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile::measure {

// The product that computes `pass`, its operands and its result stored as those of the forward pass are: of
// C = op(A) op(B) the data gradient has A's layout and the weight gradient B's. Gradients have no bias.
Gemm gemm_of(const Gemm& forward, Pass pass);

}  // namespace rooftile::measure
