// What follows from the shapes of an op's inputs: its geometry, the shape of its result, and the weights it needs.
// Every function takes any numbers and answers with an error where they make no sense.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Number of spatial dimensions (1 to 3) of an N x C x ... shape.
Result<std::size_t> spatial_rank(const Shape& shape);

// Fills in batch, in_channels and each axis' `in` from the input, then checks the whole.
Result<void> fit(Conv& conv, const Shape& input);

// Fills in what the operands decide; trans_a and trans_b are given. With one operand it is a fully connected layer:
// n is given, the last dimension of the operand is k, all others fold into m.
Result<void> fit(Gemm& gemm, const std::vector<Shape>& operands);

// Lengths, heads and batch of attention over [batch, length, heads, head_dim]; steps, batch and input features of a
// recurrent layer over [steps, batch, features].
Result<void> fit(Attention& attention, const std::vector<Shape>& operands);
Result<void> fit(Recurrent& recurrent, const Shape& input);

// Shape of the result where kind and inputs (activations first) decide it; else the error says so.
Result<Shape> infer_shape(const OpKind& kind, const std::vector<Shape>& inputs);

// The shape that `wanted` means for an op whose first input is `input`: 0 stands for the dimension of the input at
// that place, and one -1 for whatever keeps the number of elements.
Result<Shape> resolve_shape(const Shape& wanted, const Shape& input);

// Result of pooling with a window (`axes`, whose `in` is ignored) over the spatial dimensions of `input`.
Result<Shape> pool_shape(const Shape& input, std::array<ConvAxis, 3> axes, bool ceil_mode);

// Result of joining `inputs` along `axis`; a negative axis counts from the last.
Result<Shape> concat_shape(const std::vector<Shape>& inputs, std::int64_t axis);

// The weights and statistics of a convolution, a fully connected layer or a normalisation of `input`, named
// "<op>.weight", "<op>.bias", "<op>.mean" and "<op>.variance"; none for other kinds. A convolution must pass check().
std::vector<Tensor> implied_weights(const OpKind& kind, const std::string& op, const Shape& input, DType dtype);

}  // namespace rooftile
