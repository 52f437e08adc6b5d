// Winograd convolution: F(2x2, 3x3) in one kernel, F(4x4, RxR) with its transforms in kernels of their own
// (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308).
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// Two spatial axes, stride 1, no dilation, no groups, square filters of 3 or 5.
bool has_winograd(const OpShape& op);

// The fused kernel takes 3x3 filters, forward and data gradient.
bool has_fused_winograd(const OpShape& op);

// A CTA computes 32 tiles of 2x2 outputs for 32 filters: 16 products of 32x32 a channel, as many MACs as a tile of
// 128x128. Of the shapes in which the library lays the 32 tiles over samples, rows and columns, that with the fewest
// CTAs. A transform of the filters runs before; an inference engine keeps them transformed.
LaunchPlan fused_winograd(const OpShape& op);

// Transforms of input and filters, (4 + R - 1)^2 GEMMs over the tiles, transform back: one plan for each GEMM tile, of
// the library's `later` kernels (from Hopper on).
void each_nonfused_winograd(const OpShape& op, bool later, const VisitPlan& visit);

}  // namespace rooftile
