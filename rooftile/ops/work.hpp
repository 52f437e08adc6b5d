// How much work an operator is: arithmetic and the bytes it cannot avoid. Never looks at a clock.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Arithmetic of the textbook algorithm: 2 per multiply-accumulate, padding counted as if it were data; bias not
// counted. For streaming ops a nominal count per element (documented in docs/theory.md).
Flops flops(const Workload& workload, const Op& op);

// Bytes that one execution reads and writes if each element that is needed is touched once.
struct OperandBytes {
  Bytes read;   // activations and weights
  Bytes write;  // outputs

  bool operator==(const OperandBytes&) const = default;
};
OperandBytes operand_bytes(const Workload& workload, const Op& op);

// The same for a convolution alone, without its bias; `element` is the size of one element.
OperandBytes conv_operand_bytes(const Conv& conv, Bytes element);

}  // namespace rooftile
