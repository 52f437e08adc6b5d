// Output shapes of operators, by the rules that ONNX and the frameworks share.
#pragma once

#include <cstdint>
#include <span>

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// NCDHW shape of the result of `conv`, with `spatial_rank` spatial dimensions (1 to 3).
Shape conv_output(const Conv& conv, int spatial_rank);

// Numpy's broadcast of two shapes; the error names both.
Result<Shape> broadcast(const Shape& a, const Shape& b);

// Numpy's matmul of two shapes, and the product it means: leading dimensions broadcast into Gemm::batch. A B that has
// no leading dimensions folds those of A into m.
struct MatMul {
  Gemm gemm;
  Shape output;
};
Result<MatMul> matmul(const Shape& a, const Shape& b);

// Positions of a pooling window along one axis, floor or ceil mode.
std::int64_t pool_positions(const ConvAxis& axis, bool ceil_mode);

}  // namespace rooftile
