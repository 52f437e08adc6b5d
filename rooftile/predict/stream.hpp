// Estimates of operators that stream their tensors: by the plain formula, or refined, kernel by kernel.
#pragma once

#include "rooftile/predict/call.hpp"

namespace rooftile {

// The time of a layer whose flops are counted already, by method rooftile: that of its kernels, one after another, and
// what the framework's harness adds; without a framework no kernel is shorter than a launch. Any other method, and a
// GPU without a rate for FP32: bytes, arithmetic or one launch. A layer without kernels takes no time.
void add_streams(LayerEstimate& layer, const Streams& streams, const Gpu& gpu, const PredictOptions& options,
                 RefinedModels& models);

}  // namespace rooftile
