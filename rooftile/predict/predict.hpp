// The pipeline: Workload x Gpu -> Prediction.
#pragma once

#include <string>

#include "rooftile/error/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct PredictOptions {
  DType precision = DType::fp32;
  PlanOptions plan;
};

// A precision that is not built yet, a tile that no kernel has, no active CTA: an error that says so. The functions
// below rely on options that pass.
Result<void> check(const PredictOptions& options);

// The same, and that the tile's shared memory fits the GPU.
Result<void> check(const PredictOptions& options, const Gpu& gpu);

// One op of a workload that passed validate().
LayerEstimate estimate(const Workload& workload, const Op& op, const Gpu& gpu, const PredictOptions& options = {});

// One convolution or GEMM alone.
LayerEstimate estimate(const Conv& conv, const Gpu& gpu, const PredictOptions& options = {});
LayerEstimate estimate(const Gemm& gemm, const Gpu& gpu, const PredictOptions& options = {});

// A workload that passed validate(). Errors: a precision that is not built yet, a tile that no kernel has.
Result<Prediction> predict(const Workload& workload, const Gpu& gpu, const PredictOptions& options = {});

// The largest weights-and-activations footprint of running the ops in order, freeing each tensor after its last use.
MemoryUse memory_use(const Workload& workload);

}  // namespace rooftile
