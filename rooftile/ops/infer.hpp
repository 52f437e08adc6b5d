// What follows from the shapes of an op's inputs: its geometry, the shape of its result, and the weights it needs.
#pragma once

#include <string>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Fills in batch, in_channels and each axis' `in`. The input is N x C x 1 to 3 spatial dimensions.
Result<void> fit(Conv& conv, const Shape& input);

// Fills in what `gemm` takes from its operands; trans_a and trans_b are given. With one operand it is a fully
// connected layer: n is given, the last dimension is k, all others fold into m.
Result<void> fit(Gemm& gemm, const std::vector<Shape>& operands);

// Shape of the result, where kind and inputs (activations first) decide it; the error says that a shape is needed.
Result<Shape> infer_shape(const OpKind& kind, const std::vector<Shape>& inputs);

// The shape that `wanted` means for an op whose first input is `input`: 0 stands for the dimension of the input at
// that place, one -1 for whatever keeps the number of elements.
Result<Shape> resolve_shape(const Shape& wanted, const Shape& input);

// One spatial axis list for a pooling window over an input: the shape of the result.
Result<Shape> pool_shape(const Shape& input, const std::array<ConvAxis, 3>& axes, bool ceil_mode);

Result<Shape> concat_shape(const std::vector<Shape>& inputs, std::int64_t axis);

// The weights and statistics that a convolution, fully connected layer or normalisation of `input` has, named
// "<op>.weight", "<op>.bias", "<op>.mean" and "<op>.variance"; none for other kinds. `kind` fits `input`.
std::vector<Tensor> implied_weights(const OpKind& kind, const std::string& op, const Shape& input, DType dtype);

}  // namespace rooftile
