#include "rooftile/predict/refined.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <variant>

#include "rooftile/calibration/spread_scope.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/plan/unpacking.hpp"
#include "rooftile/predict/fastest.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/loads_in_flight.hpp"
#include "rooftile/timing/power.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

// Whose kernels multiply at a precision: those for the lanes, or those for tensor cores.
KernelFamily family_of(RefinedOp op, DType precision, const Gpu& gpu) {
  if (op == RefinedOp::attention) return KernelFamily::attention;
  if (op == RefinedOp::stream) return KernelFamily::stream;
  if (op == RefinedOp::recurrent) return KernelFamily::recurrent;
  if (op == RefinedOp::conv && gpu.vendor == "amd") return KernelFamily::conv_miopen;
  const auto unit = matrix_unit(precision, gpu);
  if (unit && *unit >= Peak::tensor_fp32) {
    return op == RefinedOp::conv ? KernelFamily::conv_tensor : KernelFamily::tensor;
  }
  return op == RefinedOp::gemm ? KernelFamily::gemm_simt : KernelFamily::conv_simt;
}

// Energies of the lanes are those of FP32; narrower numbers take their share of it.
constexpr double kLaneBytes = 4;

// Share of the FP32 rate that lanes reach, which convert every operand of a narrower type first.
template <class Constant>
double converted_share(DType stored, DType computed, const Constants& constants) {
  if (computed != DType::fp32) return 1;
  if (stored == DType::fp16) return constants[Constant::converted_fp16];
  return stored == DType::bf16 ? constants[Constant::converted_bf16] : 1;
}
double converted_share(KernelFamily family, DType stored, DType computed, const Constants& constants) {
  if (family == KernelFamily::conv_simt) return converted_share<ConvConstant>(stored, computed, constants);
  if (family == KernelFamily::gemm_simt) return converted_share<SimtGemmConstant>(stored, computed, constants);
  return 1;
}

bool on_lanes(KernelFamily family) { return family == KernelFamily::conv_simt || family == KernelFamily::gemm_simt; }

// A family's efficiency scales every rate, so that its kernels take their share of the time whatever limits them.
void apply_factors(const GpuFactors& factors, RefinedModel& model) {
  GpuRates& rates = model.rates;
  const double speed = factors.of(model.family).efficiency, clock = speed * factors.clock;
  rates.sm_peak *= clock;
  rates.clock *= clock;
  rates.base_clock *= clock;
  rates.l2 *= clock;
  rates.dram *= speed * factors.dram_bandwidth;
  rates.power *= speed;
  rates.launch *= factors.launch_overhead;
  model.overhead = model.overhead * factors.launch_overhead;
  model.floor = model.floor * factors.launch_overhead;
  model.range = std::nullopt;  // this machine was measured
}

// Products on tensor cores one after another run into the board's power cap, which a call that is timed alone does not
// reach.
void cap_by_power(RefinedModel& model, double boost) {
  constexpr double kHalf = 2;  // bytes of the operands that mac_energy is for: it goes with their width
  GpuRates& rates = model.rates;
  const double unpacked = unpacked_share(kMostUnpackingRows, model.unpacking_rows);
  const double busy = 1 / (rates.macs_per_second() * rates.sms * unpacked);
  const double joules = mac_joules(rates.constants[TensorConstant::mac_energy] * model.element.value() / kHalf, rates);
  const double clock = std::min(1.0, rates.base_clock / rates.clock);
  const double sustained = clock + rates.constants[TensorConstant::clock_share] * (1 - clock);
  rates.sm_peak *= std::max(1.0, boost / sustained);
  const double reached = busy / (rates.constants[TensorConstant::efficiency] * std::max(sustained, boost));
  const double capped = power_limited<TensorConstant>(busy, joules, rates);
  if (capped > reached) rates.sm_peak *= reached / capped;
  rates.power = Watts(0);  // is counted
}

// Of the energy of an INT8 product, where half of its activations are zeros, which multipliers need not switch for. A
// compromise: less suits ResNet-50 on T4 and L4 in MLPerf Inference, more suits RetinaNet on boards with PCIe
// (docs/theory/tensor_cores.md). FP16's convolutions show nothing of the kind.
constexpr double kRectifiedEnergy = 0.7;

// Whether tensor cores wait while the lanes add up their sums of FP8, which have fewer bits than FP32's mantissa, every
// few steps. Those that FP32 sums slow to half of their rate leave the lanes the time.
bool waits_for_sums(const Gpu& gpu) {
  constexpr double kFp32Mantissa = 23;
  return gpu.fp8_sums < kFp32Mantissa && !gpu.narrow_sums_peak;
}

// The clock that products on a board without measurements of its own run at as long as power allows: its rated boost,
// where another board's sustained clock says what that board's power allows. 0: what the constants say.
double boost_of(const FoundEntry& found, KernelFamily family) {
  const bool own = found.entry != nullptr && found.match == Match::gpu;
  return own || family != KernelFamily::tensor ? 0 : 1;
}

// What whoever times a call adds to it; `start` is what a kernel takes before its first load. Of a network,
// network_error() holds what sources differ by. Returns how well the harness is known.
HarnessMatch set_harness(RefinedModel& model, const Calibration& calibration, const Gpu& gpu,
                         const PredictOptions& options, Seconds start) {
  const KernelFamily family = model.family;
  const bool alone = options.framework.empty() || options.in_network;
  const Harness unknown =
      unknown_harness(family, alone ? std::string_view() : options.framework, gpu.launch_overhead, start);
  const Harness* known = alone ? nullptr : find_harness(calibration, family, options.framework, gpu.id, gpu.vendor);
  const Harness& harness = known != nullptr ? *known : unknown;
  model.overhead = harness.overhead;
  model.floor = harness.floor;
  model.range = known != nullptr || alone ? harness.range : range_of_unknown(calibration, unknown);
  model.rates.weight_sets = harness.weight_sets;
  model.rates.rotates = harness.rotates;
  model.rates.flushed = harness.flushes;
  model.rates.step_launches = harness.step_launches;
  if (harness.gpu == gpu.id || options.in_network) return HarnessMatch::known;
  return known != nullptr ? HarnessMatch::elsewhere : HarnessMatch::unknown;
}

// How far off the model is. Products and convolutions on tensor cores in types that no fit has rows of, or of narrower
// weights, err as those in FP16 and BF16 do (docs/accuracy.md, Intervals). Nobody measured narrow types on the lanes,
// where TF32 is FP32.
void set_spread(RefinedModel& model, const Calibration& calibration, const FoundEntry& found, const Gpu& gpu,
                DType precision, HarnessMatch harness) {
  const bool measured = !on_lanes(model.family) || precision == DType::fp32 || precision == DType::tf32;
  if (measured) model.spread = find_spread(calibration, found, spread_scope(model.family, gpu), harness);
  if (found.entry != nullptr && found.match == Match::foreign) model.no_interval = NoInterval::vendor;
  if (!measured) model.no_interval = NoInterval::precision;
  if (model.factors != nullptr && model.factors->of(model.family).spread) {
    model.spread = model.factors->of(model.family).spread;
  }
}

}  // namespace

bool weighs_in_mxfp4(const PredictOptions& options) {
  const bool wide = options.precision == DType::fp16 || options.precision == DType::bf16;
  return wide && options.weights == DType::mxfp4;
}

bool rounds_for_mxfp4(std::string_view framework, const Gpu& gpu) {
  return gpu.peak(Peak::tensor_fp4).value() > 0 && rounds_for_mxfp4(framework);
}

bool multiplies_on_half_lanes(const Gpu& gpu, const PredictOptions& options) {
  const bool narrow_sums = options.precision == DType::fp16 && options.accumulate == DType::fp16;
  const bool tensor_cores = gpu.peak(Peak::tensor_fp16) > FlopsPerSecond(0);
  return narrow_sums && !tensor_cores && gpu.vendor == "nvidia" && gpu.peak(Peak::fp16) > gpu.peak(Peak::fp32);
}

std::optional<RefinedModel> refined_model(RefinedOp op, const Gpu& gpu, const PredictOptions& options) {
  const bool stream = op == RefinedOp::stream;  // which computes in FP32, whatever it loads
  const bool halves = multiplies_on_half_lanes(gpu, options);
  auto peak = peak_of(options.precision, gpu);
  if (stream) peak = gpu.peak(Peak::fp32);
  if (!stream && halves) peak = gpu.peak(Peak::fp16);
  if (!peak) return std::nullopt;
  const DType computed = halves ? DType::fp16 : computed_in(options.precision, gpu);
  const bool mxfp4 = op == RefinedOp::gemm && weighs_in_mxfp4(options);
  if (mxfp4 && rounds_for_mxfp4(options.framework, gpu)) {
    PredictOptions rounded = options;
    rounded.precision = DType::fp8;
    rounded.result = options.result.value_or(options.precision);
    return refined_model(op, gpu, rounded);
  }
  const bool narrow_sums = options.precision == DType::fp16 && options.accumulate == DType::fp16;
  if (narrow_sums && !stream && gpu.narrow_sums_peak) peak = gpu.narrow_sums_peak;
  const KernelFamily family = family_of(op, options.precision, gpu);
  const Calibration& calibration = options.calibration ? *options.calibration : builtin_calibration();
  const FoundEntry found = find_entry(calibration, family, gpu);
  const Constants constants = found.entry != nullptr ? found.entry->constants : unfitted_constants(family);
  if (options.precision == DType::fp8 && on_tensor_cores(family) && waits_for_sums(gpu)) {
    *peak *= constants[TensorConstant::fp8_share];
  }
  std::optional<RefinedModel> result(std::in_place);
  RefinedModel& model = *result;
  model.family = family;
  model.precision = asked_for(options.precision, gpu);
  model.element = size_of(options.precision);
  if (options.weights) model.weight = size_of(*options.weights);
  model.result = size_of(options.result.value_or(options.precision));
  model.nhwc = options.nhwc;
  model.engine = runs_engine_kernels(options);
  model.early_library = of_early_years(options.framework);
  model.winograd_before_maxwell = has_winograd_before_maxwell(options.framework);
  model.rates = gpu_rates(gpu, family, *peak, constants);
  if (mxfp4 && generation::is_hopper(gpu.generation)) {
    model.unpacking_rows = unpacking_rows(model.rates.macs_per_second() / model.rates.clock.value());
  }
  model.rates.sm_peak *= converted_share(family, options.precision, computed, constants);
  if (on_lanes(family)) model.rates.energy_scale *= size_of(computed).value() / kLaneBytes;
  if (on_tensor_cores(family) && options.precision == DType::bf16) {
    model.rates.energy_scale *= constants[TensorConstant::bf16_energy];
  }
  if (family == KernelFamily::conv_simt) model.caches = cache_sizes(gpu);
  if (found.entry != nullptr) model.choice = found.entry->choice;
  Seconds start;
  if (on_tensor_cores(family)) {
    start = Seconds(constants[TensorConstant::start_cycles] / model.rates.clock.value());
    model.rates.pass_bytes = options.pass_bytes;
    if (options.in_network && options.rectified) model.rates.energy_scale *= kRectifiedEnergy;
    if (options.in_network) cap_by_power(model, boost_of(found, family));
  }
  const HarnessMatch harness = set_harness(model, calibration, gpu, options, start);
  model.factors = find_factors(calibration, gpu.id);
  if (model.factors != nullptr) apply_factors(*model.factors, model);
  set_spread(model, calibration, found, gpu, options.precision, harness);
  return result;
}

const RefinedModel* RefinedModels::find(RefinedOp op, const Gpu& gpu, const PredictOptions& options) {
  const bool engine = runs_engine_kernels(options);
  const auto same = [&](const Made& made) {
    return made.precision == options.precision && made.accumulate == options.accumulate &&
           made.result == options.result && made.weights == options.weights && made.nhwc == options.nhwc &&
           made.rectified == options.rectified && made.engine == engine && made.framework == options.framework &&
           made.pass_bytes == options.pass_bytes;
  };
  std::list<Made>& made = made_[static_cast<std::size_t>(op)];
  const auto found = std::find_if(made.begin(), made.end(), same);
  if (found == made.end()) {
    made.push_front({options.precision, options.accumulate, options.result, options.weights, options.nhwc, engine,
                     options.rectified, options.pass_bytes, options.framework, refined_model(op, gpu, options)});
  } else if (found != made.begin()) {
    made.splice(made.begin(), made, found);
  }
  return made.front().model ? &*made.front().model : nullptr;
}

OpShape op_shape(const Im2col& gemm, const RefinedModel& model, Pass pass) {
  return {.gemm = gemm,
          .pass = pass,
          .element = model.element,
          .weight = model.weight,
          .unpacking_rows = model.unpacking_rows,
          .result = model.result,
          .nhwc = model.nhwc,
          .engine = model.engine,
          .family = model.family,
          .choice = model.choice,
          .precision = model.precision,
          .early_library = model.early_library,
          .winograd_before_maxwell = model.winograd_before_maxwell};
}

namespace {

// One kernel; how it runs goes into `chosen`, unless null.
KernelNumbers estimate_at(const GpuRates& rates, const Im2col& gemm, const Gpu& gpu, const RefinedModel& model,
                          const PredictOptions& options, const PlansAhead* ahead, LaunchPlan* chosen) {
  const OpShape op = op_shape(gemm, model, options.pass);
  Fastest fastest(op, gpu, rates, model.caches, ahead != nullptr ? ahead->tiles : std::span<const TileLoads>());
  if (ahead != nullptr && ahead->fit(gpu)) {
    for (const LaunchPlan& plan : ahead->plans) fastest.visit_lasting(plan);
  } else {
    each_plan(op, gpu, options.plan, fastest);
  }
  const auto [plan, time] = fastest.finish();
  KernelNumbers numbers = {.launches = plan.launches(),
                           .traffic = plan_traffic(plan, rates, time.main.moved),
                           .cases = plan_cases(plan, rates, time.main),
                           .time = time.time};
  numbers.traffic.compulsory = compulsory_loads(op);
  if (chosen != nullptr) *chosen = plan;
  return numbers;
}

KernelNumbers estimate_kernel(const Im2col& gemm, const Gpu& gpu, const RefinedModel& model,
                              const PredictOptions& options, const PlansAhead* ahead, LaunchPlan* chosen = nullptr) {
  if (!has_few_loads(gemm, options)) return estimate_at(model.rates, gemm, gpu, model, options, ahead, chosen);
  return estimate_at(with_few_loads(model.rates), gemm, gpu, model, options, ahead, chosen);
}

}  // namespace

void add_refined(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu, const RefinedModel& model,
                 const PredictOptions& options, const PlansAhead* ahead, KnownProducts* known) {
  if (options.breakdown) {
    RefinedKernel made{.gemm = gemm};
    const auto [launches, traffic, cases, time] = estimate_kernel(gemm, gpu, model, options, ahead, &made.plan);
    return add_kernel(layer, {count, launches, traffic, cases, time, made});
  }
  if (known == nullptr) return add_totals(layer, estimate_kernel(gemm, gpu, model, options, ahead), count);
  const auto [numbers, is_new] = known->find(gemm, model, options.pass);
  if (is_new) numbers = estimate_kernel(gemm, gpu, model, options, ahead);
  add_totals(layer, numbers, count);
}

PlansAhead plans_ahead(const OpShape& op, const Gpu& gpu, const PlanOptions& options) {
  PlansAhead ahead;
  if (op.family != KernelFamily::conv_simt) return ahead;
  ahead.sm = gpu.sm;
  ahead.most_sms = std::numeric_limits<double>::infinity();
  each_plan(op, gpu, options, [&](const LaunchPlan& plan) {
    ahead.plans.push_back(plan);
    ahead.most_sms = std::min(ahead.most_sms, kIdleShare * plan.main.ctas / plan.split_k);
  });
  if (gpu.sm_count >= ahead.most_sms) ahead.most_sms = 0;
  ahead.tiles = counted_tiles(op, gpu, options);
  return ahead;
}

CallPlace place_of(const LayerEstimate& layer) {
  static_assert(CallPlace::kLimits.size() == kBottlenecks);
  constexpr double kMicro = 1e6, kLeast = 1e-6;
  CallPlace place{.micros = std::max(kLeast, layer.time.value() * kMicro)};
  for (std::size_t i = 0; i < kBottlenecks && layer.time > Seconds(0); ++i) {
    place.limits[i] = std::clamp(layer.cases.by[i] / layer.time, 0.0, 1.0);
  }
  return place;
}

void finish_refined(LayerEstimate& layer, const RefinedModel& model, Seconds floor,
                    const std::optional<Interval>& kernels) {
  const Interval range = kernels.value_or(Interval{layer.time, layer.time});
  layer.cases[Bottleneck::launch] += model.overhead;
  layer.time = call_time(layer.time, model.overhead, floor);
  layer.bottleneck = largest(layer.cases);
  layer.family = model.family;
  if (model.factors != nullptr && !model.factors->calls.empty()) {
    layer.ratio_of_calls = ratio_of_calls(*model.factors, model.family, place_of(layer));
    layer.time *= layer.ratio_of_calls;
    for (Seconds& seconds : layer.cases.by) seconds *= layer.ratio_of_calls;
  }
  layer.no_interval = model.no_interval;
  if (!model.spread) return;
  Interval calls{layer.time, layer.time};
  if (model.range) {
    calls.low = call_time(range.low, model.range->overhead_low, model.range->floor_low) * layer.ratio_of_calls;
    calls.high = call_time(range.high, model.range->overhead_high, model.range->floor_high) * layer.ratio_of_calls;
  }
  layer.time_low = calls.low * model.spread->low;
  layer.time_high = calls.high * model.spread->high;
  layer.common_error = model.spread->common;
}

}  // namespace rooftile
