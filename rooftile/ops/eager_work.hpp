// What the kernels of eager PyTorch, and of cuDNN for it, compute beside the arithmetic of their operators. Such
// kernels are limited by instructions on GPUs with much bandwidth: the same time on H100 and H200, whose DRAMs differ
// by 1.4. Counts of instructions per lane are from times of single operators on an H100
// (data/measurements/h100-sxm5-80gb/operators.csv); H200's times follow from them to 10 % (docs/theory.md).
#pragma once

#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile {

// Of an output of a pool: finding its window.
inline constexpr double kEagerWindow = 230;

// Of an element, over those of the operator's definition. An operand that is broadcast, of another type, or laid out
// otherwise than the result is found by dividing the element's number by the sizes of the dimensions
// (aten/src/ATen/native/cuda/CUDALoops.cuh: the kernels that are not vectorized).
double eager_operations(const Workload& workload, const Op& op, Maps maps);

// Batch normalisation at inference by cuDNN (bn_fw_inf_1C11_kernel): of planes, CTAs of 256 threads for each plane.
StreamKernel eager_batch_norm(const OperandBytes& bytes, const Shape& shape, Maps maps);

// A CTA of 128 threads for each row, which sums up by shuffles and through shared memory
// (aten/src/ATen/native/cuda/layer_norm_kernel.cu, vectorized_layer_norm_kernel).
StreamKernel eager_layer_norm(const StreamRows& rows, Bytes element);

}  // namespace rooftile
