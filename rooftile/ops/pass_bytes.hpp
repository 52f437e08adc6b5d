// The bytes that each pass of a convolution or GEMM cannot avoid.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// Operands of one execution, each element once, without the bias; `element` is the size of one element of any operand.
// With X the input, W the weights and Y the output: fwd reads X and W and writes Y; bwd_data reads dY and W and writes
// the whole of dX; bwd_weight reads X and dY and writes dW. For a GEMM, X is A and W is B. Of X only what the windows
// touch is read. `weight` is the size of an element of W where it is stored narrower.
OperandBytes pass_bytes(const Conv& conv, Bytes element, Pass pass);
OperandBytes pass_bytes(const Gemm& gemm, Bytes element, Pass pass, Bytes weight = {});

}  // namespace rooftile
