// Results in double precision from the same stored operands, a few elements at a time: slow, simple, for comparison.
// Each queues its kernel; `positions` and `out` are on the device and have `count` entries.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile::measure {

struct Operand {
  const void* data = nullptr;
  DType type = DType::fp32;
};

struct Samples {
  const std::int64_t* positions = nullptr;
  std::int64_t count = 0;
  double* out = nullptr;
};

// alpha op(A) op(B) + bias; without a bias where its data is null.
void reference_gemm(const Gemm& gemm, Operand a, Operand b, Operand bias, Samples samples, cudaStream_t stream);

// `first` and `second` are X and W; dY and W; X and dY. Positions are those of Y; dX; dW as they lie in memory.
void reference_conv(const Conv& conv, Pass pass, bool channels_last, Operand first, Operand second, Samples samples,
                    cudaStream_t stream);

// Q, K, V and the result are batch x heads x positions x head_dim.
void reference_attention(const Attention& attention, Operand q, Operand k, Operand v, Samples samples,
                         cudaStream_t stream);

// `first` and `second` are the inputs, or weight and bias of a norm (null: none).
void reference_stream(const StreamLayer& layer, Operand input, Operand first, Operand second, Samples samples,
                      cudaStream_t stream);

// Elements of a result that is already there in double precision.
void reference_copy(const double* result, Samples samples, cudaStream_t stream);

}  // namespace rooftile::measure
