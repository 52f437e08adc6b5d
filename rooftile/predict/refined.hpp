// The refined method, `rooftile`: every way a library could run an operator, timed in closed form; the fastest counts.
#pragma once

#include <optional>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/plan/candidates.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/timing/plan_time.hpp"

namespace rooftile {

// The unit that multiplies at a precision, and the constants of the kernels that use it.
struct RefinedModel {
  KernelFamily family = KernelFamily::conv_simt;
  Bytes element{4};
  Machine machine;
  TileChoice choice = TileChoice::least_time;
  Seconds overhead;                     // of one call
  Seconds floor;                        // no call is shorter
  std::optional<Spread> spread;         // measured over predicted, middle 90 %
  const GpuFactors* factors = nullptr;  // of the calibration, which outlives this; null: nobody measured the GPU
};

enum class RefinedOp { conv, gemm, attention, stream, recurrent };

// Made once per GPU and options; nullopt if the GPU has no unit for the precision.
std::optional<RefinedModel> refined_model(RefinedOp op, const Gpu& gpu, const PredictOptions& options);

// A pass of one direct convolution or GEMM, `count` equal kernels, added to a layer.
void add_refined(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu, const RefinedModel& model,
                 const PredictOptions& options);

// What add_refined() needs of the operator.
OpShape op_shape(const Im2col& gemm, const RefinedModel& model, Pass pass);

// Where a call lies among others, by its time and cases.
CallPlace place_of(const LayerEstimate& layer);

// After the last kernel of a layer: overhead of the call, bottleneck, what measured calls like it say, and interval.
void finish_refined(LayerEstimate& layer, const RefinedModel& model);

}  // namespace rooftile
