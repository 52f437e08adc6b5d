#include "rooftile/predict/refined.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rooftile/ops/work.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/traffic/refined.hpp"

namespace rooftile {
namespace {

// The plan of a single kernel as the traffic models take it.
Plan plan_of(const LaunchPlan& launches, const Im2col& gemm, double sm_count) {
  const Launch& launch = launches.main;
  Plan plan;
  plan.kernel.tile = launches.tile;
  plan.kernel.warps = static_cast<int>(launch.warps);
  plan.columns = std::ceil(gemm.n / launches.tile.n);
  plan.rows = std::ceil(gemm.m / launches.tile.m);
  plan.ctas = plan.columns * plan.rows * gemm.groups;
  plan.loops = std::ceil(gemm.k / launches.tile.k);
  plan.active_ctas_per_sm = launch.resident;
  plan.ctas_per_sm = std::ceil(plan.ctas / sm_count);
  plan.waves = std::ceil(plan.ctas_per_sm / plan.active_ctas_per_sm);
  return plan;
}

// What the launches of a plan move, each operand once and the tiles of the CTAs.
Traffic launched_traffic(const LaunchPlan& plan) {
  Traffic traffic;
  traffic.l2 = plan.main.l2 - plan.main.dram_store;
  traffic.dram = plan.main.dram_load;
  traffic.store_dram = plan.main.dram_store;
  for (std::size_t i = 0; i < plan.stream_count; ++i) {
    traffic.l2 += plan.streams[i].load;
    traffic.dram += plan.streams[i].load;
    traffic.store_dram += plan.streams[i].store;
  }
  traffic.l1 = traffic.l2;
  return traffic;
}

// Whose kernels multiply at a precision: those for the lanes, or those for tensor cores.
KernelFamily family_of(RefinedOp op, DType precision, const Gpu& gpu) {
  if (op == RefinedOp::attention) return KernelFamily::attention;
  if (op == RefinedOp::stream) return KernelFamily::stream;
  if (op == RefinedOp::recurrent) return KernelFamily::recurrent;
  const bool tensor_fp16 = gpu.peak(Peak::tensor_fp16) > FlopsPerSecond(0);
  const bool lanes = precision == DType::fp32 || precision == DType::fp64 || (precision == DType::fp16 && !tensor_fp16);
  if (!lanes) return KernelFamily::tensor;
  return op == RefinedOp::gemm ? KernelFamily::gemm_simt : KernelFamily::conv_simt;
}

// Keeps the fastest of the plans that it is called with.
struct Fastest {
  const Machine& machine;
  LaunchPlan& plan;
  Seconds time{std::numeric_limits<double>::infinity()};

  void operator()(const LaunchPlan& other) {
    const Seconds took = plan_time(other, machine, time);
    if (took >= time) return;
    time = took;
    plan = other;
  }
};

// Energies of the lanes are those of FP32; narrower numbers take their share of it.
constexpr double kLaneBytes = 4;

// What a network does to the L2: a layer finds the activations that the one before left, and weights that were last
// used a whole pass ago.
constexpr double kNetworkCopies = 1000;

// Launches of a step of a recurrent layer whose gates are one kernel (PyTorch).
constexpr double kStepLaunches = 3;

// A family's efficiency scales every rate, so that its kernels take their share of the time whatever limits them.
void apply_factors(const GpuFactors& factors, RefinedModel& model) {
  Machine& machine = model.machine;
  const double speed = factors.of(model.family).efficiency, clock = speed * factors.clock;
  machine.macs_per_second *= clock;
  machine.clock *= clock;
  machine.base_clock *= clock;
  machine.l2 *= clock;
  machine.dram *= speed * factors.dram_bandwidth;
  machine.watts *= speed;
  machine.launch *= factors.launch_overhead;
  model.overhead = model.overhead * factors.launch_overhead;
  model.floor = model.floor * factors.launch_overhead;
}

}  // namespace

std::optional<RefinedModel> refined_model(RefinedOp op, const Gpu& gpu, const PredictOptions& options) {
  const bool stream = op == RefinedOp::stream;  // which computes in FP32, whatever it loads
  const auto peak = peak_of(stream ? DType::fp32 : options.precision, gpu);
  if (!peak) return std::nullopt;
  const KernelFamily family = family_of(op, options.precision, gpu);
  const Calibration& calibration = options.calibration ? *options.calibration : builtin_calibration();
  const FoundEntry found = find_entry(calibration, family, gpu);
  std::optional<RefinedModel> result(std::in_place);
  RefinedModel& model = *result;
  model.family = family;
  model.element = size_of(options.precision);
  model.machine = found.entry != nullptr ? machine_of(gpu, family, *peak, found.entry->constants)
                                         : machine_of(gpu, family, *peak, unfitted_constants(family));
  const bool lanes = model.family == KernelFamily::conv_simt || model.family == KernelFamily::gemm_simt;
  if (lanes) model.machine.energy_scale *= model.element.value() / kLaneBytes;
  if (found.entry != nullptr) model.choice = found.entry->choice;
  model.overhead = gpu.launch_overhead;
  if (stream) {  // launches queue up while other kernels run
    model.overhead = Seconds(0);
    model.floor = gpu.launch_overhead;
  }
  if (model.family == KernelFamily::tensor) {
    const double start = model.machine.constants[TensorConstant::start_cycles] / model.machine.clock;
    model.overhead = std::max(Seconds(0), gpu.launch_overhead - Seconds(start));  // which the form counts
    model.machine.copies = kNetworkCopies;
  }
  if (model.family == KernelFamily::recurrent) model.machine.copies = kStepLaunches;
  const bool alone = options.framework.empty();
  if (const Harness* harness = alone ? nullptr : find_harness(calibration, model.family, options.framework, gpu.id)) {
    model.overhead = harness->overhead;
    model.floor = harness->floor;
    model.machine.copies = harness->copies;
    model.machine.rotates = harness->rotates;
  }
  const GpuFactors* factors = find_factors(calibration, gpu.id);
  if (factors != nullptr) apply_factors(*factors, model);
  model.factors = factors;
  // No fit has rows of other precisions, nor of convolutions on tensor cores: how far off those are is not known.
  const bool half = options.precision == DType::fp16 || options.precision == DType::bf16;
  const bool single = options.precision == DType::fp32;
  const bool measured = (lanes && single) || (!lanes && half && op != RefinedOp::conv) ||
                        (model.family == KernelFamily::recurrent && single) ||
                        (model.family == KernelFamily::attention && options.precision == DType::fp8);
  if (measured) model.spread = find_spread(calibration, found, gpu.vendor);
  if (factors != nullptr && factors->of(family).spread) model.spread = factors->of(family).spread;
  return result;
}

OpShape op_shape(const Im2col& gemm, const RefinedModel& model, Pass pass) {
  return {.gemm = gemm, .pass = pass, .element = model.element, .family = model.family, .choice = model.choice};
}

void add_refined(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu, const RefinedModel& model,
                 const PredictOptions& options) {
  RefinedKernel& kernel = layer.refined.emplace_back();
  kernel.gemm = gemm;
  kernel.count = count;
  Fastest fastest{.machine = model.machine, .plan = kernel.plan};
  each_plan(op_shape(gemm, model, options.pass), gpu, options.plan, std::ref(fastest));
  const LaunchPlan& best = fastest.plan;
  // The counted form covers the one kernel of a forward pass.
  const bool counted = options.pass == Pass::fwd && best.algorithm == Algorithm::implicit_gemm && best.count() == 1;
  Traffic traffic = launched_traffic(best);
  if (counted) traffic = refined_traffic(gemm, plan_of(best, gemm, gpu.sm_count), gpu, model.element).total;
  traffic.compulsory = model.element * compulsory_elements(gemm);
  layer.traffic += traffic * count;
  const Cases cases = plan_cases(best, model.machine);
  for (std::size_t i = 0; i < kBottlenecks; ++i) layer.cases.by[i] += cases.by[i] * count;
  layer.time += fastest.time * count;
  layer.kernels += count * static_cast<double>(best.count());
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

void finish_refined(LayerEstimate& layer, const RefinedModel& model) {
  layer.cases[Bottleneck::launch] += model.overhead;
  layer.time = call_time(layer.time, model.overhead, model.floor);
  layer.bottleneck = largest(layer.cases);
  layer.family = model.family;
  if (model.factors != nullptr && !model.factors->calls.empty()) {
    layer.ratio_of_calls = ratio_of_calls(*model.factors, model.family, place_of(layer));
    layer.time *= layer.ratio_of_calls;
    for (Seconds& seconds : layer.cases.by) seconds *= layer.ratio_of_calls;
  }
  if (model.spread) {
    layer.time_low = layer.time * model.spread->low;
    layer.time_high = layer.time * model.spread->high;
  }
}

}  // namespace rooftile
