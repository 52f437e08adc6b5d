// The refined method, `rooftile`: every way a library could run an operator, timed in closed form; the fastest counts.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/plan/candidates.hpp"
#include "rooftile/predict/known_products.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/traffic/refined.hpp"
#include "rooftile/traffic/tile_loads.hpp"

namespace rooftile {

// The unit that multiplies at a precision, and the constants of the kernels that use it.
struct RefinedModel {
  KernelFamily family = KernelFamily::conv_simt;
  DType precision = DType::fp32;
  Bytes element{4};
  Bytes weight{};             // of a product's weights, where they are narrower than its activations
  double unpacking_rows = 0;  // OpShape::unpacking_rows
  Bytes result{4};
  bool nhwc = false;
  bool engine = false;                  // OpShape::engine
  bool early_library = false;           // OpShape::early_library
  bool winograd_before_maxwell = true;  // OpShape::winograd_before_maxwell
  GpuRates rates;
  CacheSizes caches;  // of conv_simt
  TileChoice choice = TileChoice::least_time;
  Seconds overhead;                    // of one call
  Seconds floor;                       // no call is shorter
  std::optional<OverheadRange> range;  // of both, where calls of this framework were measured on other machines only
  std::optional<Spread> spread;        // measured over predicted, middle 90 %
  NoInterval no_interval = NoInterval::constants;  // where there is none
  const GpuFactors* factors = nullptr;  // of the calibration, which outlives this; null: nobody measured the GPU
};

enum class RefinedOp { conv, gemm, attention, stream, recurrent };
inline constexpr std::size_t kRefinedOps = 5;

// Products of 16-bit activations by MXFP4 weights, and whether a framework rounds the activations to FP8 on the GPU.
bool weighs_in_mxfp4(const PredictOptions& options);
bool rounds_for_mxfp4(std::string_view framework, const Gpu& gpu);

// Whether products in FP16 run on lanes that take two of them a clock and add up in FP16, as TensorRT's do where such
// lanes are (compute capability 5.3, 6.0 and 6.2: IBuilder::platformHasFastFp16()); other libraries want FP32 sums.
bool multiplies_on_half_lanes(const Gpu& gpu, const PredictOptions& options);

// Nullopt if the GPU has no unit for the precision.
std::optional<RefinedModel> refined_model(RefinedOp op, const Gpu& gpu, const PredictOptions& options);

// The models of one GPU and one calibration, each made when it is first asked for: they depend on the operator, the
// precision and the framework, not on layer or pass.
class RefinedModels {
 public:
  // `keeps_products`: for estimates without a breakdown, in one precision after another.
  explicit RefinedModels(bool keeps_products = false) {
    if (keeps_products) products_.emplace();
  }
  RefinedModels(const RefinedModels&) = delete;  // products_ refers to made_
  RefinedModels& operator=(const RefinedModels&) = delete;

  // As refined_model(); null in place of nullopt. It stays where it is. `gpu` and the calibration of `options` are the
  // same in every call.
  const RefinedModel* find(RefinedOp op, const Gpu& gpu, const PredictOptions& options);

  // What products took under these models; null: not kept.
  KnownProducts* products() { return products_ ? &*products_ : nullptr; }

 private:
  struct Made {
    DType precision;
    std::optional<DType> accumulate, result, weights;
    bool nhwc, engine, rectified;
    Bytes pass_bytes;
    std::string framework;
    std::optional<RefinedModel> model;
  };
  std::array<std::list<Made>, kRefinedOps> made_;  // by operator; that of the last call in front
  std::optional<KnownProducts> products_;
};

// What add_refined() needs of the operator.
OpShape op_shape(const Im2col& gemm, const RefinedModel& model, Pass pass);

// The plans of a convolution on the FP32 lanes, and what of their loads depends on the layer alone. Empty for other
// families: their plans follow the GPU.
struct PlansAhead {
  std::vector<LaunchPlan> plans;
  SmLimits sm;
  double most_sms = 0;  // with as many or more the plans are others
  std::vector<TileLoads> tiles;

  bool fit(const Gpu& gpu) const { return gpu.sm_count < most_sms && gpu.sm == sm; }
};
PlansAhead plans_ahead(const OpShape& op, const Gpu& gpu, const PlanOptions& options);

// A pass of one direct convolution or GEMM, `count` equal kernels, added to a layer. `ahead`, unless null, was made for
// the same pass, model and options, on a GPU with the same L1 sectors and lines. `known`, unless null, is of the GPU.
void add_refined(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu, const RefinedModel& model,
                 const PredictOptions& options, const PlansAhead* ahead = nullptr, KnownProducts* known = nullptr);

// Where a call lies among others, by its time and cases.
CallPlace place_of(const LayerEstimate& layer);

// After the last kernel of a layer: overhead of the call, bottleneck, what measured calls like it say, and interval.
// `floor`: that of the model, or of several calls.
// `kernels`: between what its kernels take where callers of the model's range launch as few or as many as they do.
void finish_refined(LayerEstimate& layer, const RefinedModel& model, Seconds floor,
                    const std::optional<Interval>& kernels = {});
inline void finish_refined(LayerEstimate& layer, const RefinedModel& model) {
  finish_refined(layer, model, model.floor);
}

}  // namespace rooftile
