// What products of narrow weights wait for whose CTAs add up their parts of a column one after another. Private.
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {

// Whether it is a product of MARLIN, vLLM's kernel for weights of 4 and 8 bits on Ampere, Ada and GeForce Blackwell.
bool sums_in_order(const PredictOptions& options, const Gpu& gpu);

// Beside the product itself: of the column whose parts are the most.
KernelEstimate ordered_sums(const Im2col& product, const Gpu& gpu);

}  // namespace rooftile
