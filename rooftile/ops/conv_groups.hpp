// Convolutions in groups of several channels, as cuDNN 8 has them on tensor cores.
//
// Groups of 4, 8, 16 or 32 channels share a tile of a kernel made for them, in gradients if there are at least 32
// groups in eights. Others are a product each, in tiles that most of their channels do not fill; over contiguous
// channels only later releases of cuDNN have one. Without it, and in gradients over contiguous channels, which never
// have, they run on the lanes (Inductor keeps such networks away from that layout: "slows down 31x using channels
// last", torch/_inductor/graph.py). Which groups have kernels, and what the lanes cost, was found from whole networks
// (timm: RegNet, ResNeXt, DPN), not from single layers. On Ampere and later; Volta's and Turing's kernels of cuDNN 7
// take gradients of any groups (DeepLearningExamples: ResNeXt in PyTorch and TensorFlow).
#pragma once

#include <utility>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// Whether groups of so many input and output channels each share tiles.
bool shares_tiles(double groups, double in_channels, double out_channels, Pass pass);

// The same of a convolution; one without groups, or of a channel each, needs nothing of the kind.
bool lacks_grouped_kernel(const Conv& conv, Pass pass);

// (8, 3) is 8.3; (0, 0) the latest.
using CudnnRelease = std::pair<int, int>;

// Whether it has no kernel over contiguous channels on tensor cores.
bool lacks_contiguous_kernel(const Conv& conv, Pass pass, CudnnRelease release);

// On the lanes.
StreamKernel grouped_forward_kernel(const Conv& conv, Bytes read, Bytes write);
StreamKernel grouped_gradient_kernel(const Conv& conv, CudnnRelease release, Bytes read, Bytes write);

}  // namespace rooftile
