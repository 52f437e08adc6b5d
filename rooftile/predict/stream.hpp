// Estimates of operators that stream their tensors: by the plain formula, or refined, kernel by kernel.
#pragma once

#include <vector>

#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {

// The time of a layer whose flops are counted already, by method rooftile: that of its kernels, one after another, and
// what the framework's harness adds; without a framework no kernel is shorter than a launch. Any other method, and a
// GPU without a rate for FP32: bytes, arithmetic or one launch. A layer without kernels takes no time.
void add_stream(LayerEstimate& layer, const OperandBytes& bytes, const std::vector<StreamKernel>& kernels,
                const Gpu& gpu, const PredictOptions& options, RefinedModels& models);

// An operator of a network that is no convolution, GEMM, attention, recurrent layer or view. Of the gradients, all are
// in bwd_data.
LayerEstimate stream_estimate(const Workload& workload, const Op& op, const Gpu& gpu, PredictOptions options,
                              RefinedModels& models);

}  // namespace rooftile
