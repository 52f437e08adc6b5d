// Convolution as products of Fourier transforms (Mathieu, Henaff and LeCun, arXiv:1312.5851; tiled: Vasilache et al.,
// arXiv:1412.7580), with the transforms in kernels of their own.
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// Two spatial axes, stride 1, no dilation, no groups, more than one tap, filters up to half a tile of 32.
bool has_fft(const OpShape& op);

// Transforms of both operands, one complex product for each of T x (T / 2 + 1) frequencies, transform back: plans with
// tiles of T = 32 positions an axis, and with the smallest power of two that holds a whole padded map, up to 256; one
// for each tile of the products.
void each_fft(const OpShape& op, const VisitPlan& visit);

}  // namespace rooftile
