// Convolutions in groups of several channels, as cuDNN 8 has them on tensor cores.
//
// Groups of 4, 8, 16 or 32 channels share a tile of a kernel made for them. Others are a product each, in tiles that
// most of their channels do not fill. Gradients over contiguous channels have no product at all: they run on the lanes
// (Inductor keeps such networks away from that layout: "slows down 31x using channels last", torch/_inductor/graph.py).
// Which groups have gradients of their own, and what the lanes cost, was found from whole networks (timm: RegNet,
// ResNeXt), not from single layers. On Ampere and later; Volta's and Turing's kernels of cuDNN 7 take gradients of any
// groups (DeepLearningExamples: ResNeXt in PyTorch and TensorFlow).
#pragma once

#include <string_view>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// Whether groups of so many input and output channels each share tiles.
bool shares_tiles(double groups, double in_channels, double out_channels, Pass pass);

// The same of a convolution; one without groups, or of a channel each, needs nothing of the kind.
bool lacks_grouped_kernel(const Conv& conv, Pass pass);

// A gradient on the lanes. `framework` tells PyTorch's releases with cuDNN 8.2, whose kernels took twice as long.
StreamKernel grouped_gradient_kernel(const Conv& conv, std::string_view framework, Bytes read, Bytes write);

}  // namespace rooftile
