// What the kernels of eager PyTorch, and of cuDNN for it, compute beside the arithmetic of their operators. Such
// kernels are limited by instructions on GPUs with much bandwidth: the same time on H100 and H200, whose DRAMs differ
// by 1.4. Counts of instructions per lane are from times of single operators on an H100
// (data/measurements/h100-sxm5-80gb/operators.csv); H200's times follow from them to 10 % (docs/theory/streaming.md).
#pragma once

#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile {

// Of an output of a pool: finding its window.
inline constexpr double kEagerWindow = 230;

// Of an element, over those of the operator's definition. An operand that is broadcast or of another floating type,
// and an element that changes its place, are found by dividing the element's number by the sizes of the dimensions
// (aten/src/ATen/native/cuda/CUDALoops.cuh: the kernels that are not vectorized).
double eager_operations(const Workload& workload, const Op& op, Maps maps);

// Batch normalisation at inference by cuDNN (bn_fw_inf_1C11_kernel): of planes, CTAs of 256 threads for each plane.
StreamKernel eager_batch_norm(const OperandBytes& bytes, const Shape& shape, Maps maps);

// The same in training of maps with contiguous channels, or its gradient, in one kernel
// (batchnorm_fwtr_nhwc_semiPersist, batchnorm_bwtr_nhwc_semiPersist), which `read`s its inputs twice.
StreamKernel eager_batch_statistics(Bytes read, Bytes write, double elements, bool gradient);

// A CTA of 128 threads for each row, which sums up by shuffles and through shared memory
// (aten/src/ATen/native/cuda/layer_norm_kernel.cu, vectorized_layer_norm_kernel).
StreamKernel eager_layer_norm(const StreamRows& rows, Bytes element);

// Before PyTorch 1.11: a CTA of 512 threads for the sums of a row, and one of 256 for its result, each of which reads
// one number at a time (RowwiseMomentsCUDAKernel, LayerNormForwardCUDAKernel). A thread is given the instructions that
// one of the later kernel has.
std::vector<StreamKernel> early_layer_norm(const StreamRows& rows, Bytes element);

// Group normalisation of planes: sums by a CTA of 512 threads for each group that read one number at a time, the scale
// and shift of each channel, and a kernel that applies them (aten/src/ATen/native/cuda/group_norm_kernel.cu).
std::vector<StreamKernel> eager_group_norm(const OperandBytes& bytes, const Shape& shape, const StreamRows& groups,
                                           Bytes element);

// Its gradients: of the rows in the same way (layer_norm_grad_input_kernel_vectorized); of the weights a CTA of 1,024
// threads for every 32 columns, which are too few for a GPU, or, of more than 65,536 rows, several of them
// (GammaBetaBackwardCUDAKernelTemplate; that rows with more columns than half the SMs fill keep one is left out).
StreamKernel eager_layer_gradient(const StreamRows& rows, Bytes element);
StreamKernel eager_column_sums(Bytes read, Bytes write, const StreamRows& rows);

// The gradient of a bias that is contiguous: CTAs share the rows, add up column by column, and the last one adds up
// their sums (aten/src/ATen/native/cuda/Reduce.cuh). 14 us on an H100 whatever the size, and more for many rows.
StreamKernel eager_bias_gradient(Bytes read, Bytes write, double elements, double columns);

// How often a thread of a pool's gradient looks for windows, relative to NCHW, where it does for each input.
inline constexpr double kEagerChannelsSearch = 0.4;

}  // namespace rooftile
