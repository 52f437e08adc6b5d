// The kernels that libraries run for operators that stream their tensors: how many CTAs, and how often a row is read.
#pragma once

#include <vector>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/workload/pass.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Of a row of a layer table. Norms, unless `norms` says who else wrote them, and gates as serving systems run them (one
// CTA a row, one element a load, norms in two passes), all else as PyTorch does; `element` is the size of one element.
StreamKernel stream_kernel(const StreamLayer& layer, Bytes element, NormKernels norms = NormKernels::serving);

// Training keeps what the gradient needs: batch normalisation computes its statistics, max pooling writes where each
// maximum was (in eager PyTorch always), dropout which elements it kept.
enum class StreamUse { inference, training };

// How the maps of a network lie in memory: NCHW, each channel a plane of its own, or NHWC.
enum class Maps { planes, channels_last };

// How a network runs. Eager: each operator by the kernel that PyTorch and cuDNN have for it (eager_work.hpp), for which
// those of other frameworks, and of AMD's GPUs, are taken as well.
struct StreamRun {
  StreamUse use = StreamUse::inference;
  Maps maps = Maps::channels_last;
  bool eager = false;
  bool pools_by_load = false;  // a thread of a pool takes a whole load of channels at each place of the window
  // llama.cpp's kernels: a thread for each element (ggml-cuda: binbcast.cu, unary.cu, convert.cu, cpy.cu).
  bool scalar = false;
  // Layer norms in two kernels, one number a load (reads_rows_by_numbers() of execution/).
  bool rows_by_numbers = false;
  bool early_norms = false;  // of planes, in training (has_early_batch_norms() of execution/)
  bool own_norms = false;    // where cuDNN has none for the weights' type (normalizes_itself() of execution/)
};

// Of an operator of a network, forward. Normalisations and softmax take the last dimension for a row (instance and
// group normalisation: all dimensions after the channels). None for a view, except dropout in training; not for
// convolutions, GEMMs, attention and recurrent layers.
std::vector<StreamKernel> stream_kernels(const Workload& workload, const Op& op, const StreamRun& run = {});

// Batch normalisation of planes in training, and its gradient (of two inputs, X and dY), as cuDNN computes them: one
// CTA for each channel, which goes through the channel's planes twice, two elements of each in flight. With few
// channels that is too few loads in flight for the DRAM, and as many with two bytes each as with four. Kernels
// bn_fw_tr_1C11_kernel_NCHW and bn_bw_1C11_kernel_new; profiles show a grid of as many CTAs of 512 threads as there are
// channels. Early ones wait for every element, and go through a channel three times forward: for its mean, its variance
// and the result.
StreamKernel planes_norm_kernel(const Shape& shape, Bytes element, double inputs, double operations_of_one, bool early);

// The same by PyTorch's own kernels, which wait for every element of a tensor
// (aten/src/ATen/native/cuda/Normalization.cuh): batch_norm_collect_statistics_kernel, which goes through a channel
// once, and the result by a thread for each element; batch_norm_backward_kernel, which goes through it twice.
std::vector<StreamKernel> own_planes_norm(const Shape& shape, const OperandBytes& bytes, Bytes element,
                                          double operations_of_one);
StreamKernel own_planes_gradient(const Shape& shape, Bytes element, double operations_of_one);

// Whether a batch normalisation's weights have fewer bits than cuDNN takes.
bool has_narrow_weights(const Workload& workload, const Op& op);

// A depthwise convolution: one thread for every few outputs.
StreamKernel depthwise_kernel(const Conv& conv, Bytes read, Bytes write);

// By PyTorch's own kernel for filters whose size is no template parameter of it (conv_depthwise2d_forward_kernel<0> of
// the same file): every tap is checked against the borders.
StreamKernel own_depthwise_kernel(const Conv& conv, Bytes read, Bytes write);

// Its gradients as PyTorch computes them (aten/src/ATen/native/cuda/DepthwiseConv2d.cu): of the data, a thread for each
// input looks which windows it was in; of the weights, a CTA for each tap of each channel reads both maps, so that
// every tap reads them again.
StreamKernel depthwise_gradient_kernel(const Conv& conv, Pass pass, Bytes read, Bytes write);

// Rows of the tensor that a normalisation or a softmax goes through, and how long they are.
struct StreamRows {
  double rows, columns;
};
StreamRows rows_of(const OpKind& kind, const Shape& shape);

// Whether a pool's window is the whole map: a sum along rows, which nothing has to search.
bool is_global(const Pool& pool, const Shape& input, const Shape& output);

// TorchInductor's kernel for a mean over at least 256 positions of channels-last maps has a CTA for each channel
// (torch/_inductor/runtime/triton_heuristics.py, _persistent_reduction_configs: XBLOCK 1): every number that it reads
// is in a sector of its own, which the CTAs of the neighbouring channels fetch as well.
bool fetches_sectors_again(const Workload& workload, const Op& op);

// Elements that a thread loads at once where it can.
double elements_of_load(Bytes element);

// Which elements dropout kept: a byte each.
inline constexpr Bytes kDropoutMask{1};

// Where a maximum was, for each output: eager PyTorch's indices have 64 bits, Inductor's offsets within the window 8
// (torch/_inductor/lowering.py, max_pool2d_with_indices).
inline constexpr Bytes kPoolIndex{8}, kPoolOffset{1};

}  // namespace rooftile
