#include "rooftile/predict/prepared_network.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/execution/narrow_products.hpp"
#include "rooftile/predict/captured.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/predict/sample.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

// Integers.
Result<void> check_integers(const PredictOptions& options, Phase phase) {
  const bool integers = options.precision == DType::int8 || options.precision == DType::int4;
  if (phase == Phase::fwd || !integers) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("{} has no gradients; pass inference takes it", name_of(options.precision)));
}

// Weights narrower than the arithmetic.
Result<void> check_stored(DType stored, const PredictOptions& options, Phase phase) {
  if (phase != Phase::fwd) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} of weights has no gradients; pass inference takes it", name_of(stored)));
  }
  if (options.autocast) return fail(ErrorCode::unsupported, "autocast has FP32 weights; take fp16 or bf16");
  if (size_of(stored) >= size_of(options.precision)) {
    return fail(ErrorCode::unsupported,
                fmt::format("weights of {} are not narrower than {}", name_of(stored), name_of(options.precision)));
  }
  return {};
}

Result<void> check_weights(const Workload& workload, const PredictOptions& options, Phase phase) {
  if (options.weights) TRY(check_stored(*options.weights, options, phase));
  if (!options.expert_weights) return {};
  TRY(check_stored(*options.expert_weights, options, phase));
  if (is_llama_cpp(options.framework)) {
    return fail(ErrorCode::unsupported, "llama.cpp's rules know one type of weights for all products; take weights");
  }
  if (!has_experts(workload)) {
    return fail(ErrorCode::unsupported, "has no experts for expert-weights; take weights", workload.name);
  }
  return {};
}

Result<void> check_cache(const PredictOptions& options, Phase phase) {
  if (!options.cache) return {};
  if (phase != Phase::fwd)
    return fail(ErrorCode::unsupported, "training keeps no cache; pass inference takes kv-cache");
  if (options.autocast) return fail(ErrorCode::unsupported, "autocast keeps no cache; take fp16 or bf16");
  if (!is_llama_cpp(options.framework) || *options.cache == DType::fp16) return {};
  return fail(ErrorCode::unsupported, "llama.cpp's rules know FP16 caches alone; leave kv-cache out");
}

// Replaying a graph, the GPU fetches each launch itself: microseconds in CUDA's own measurements (NVIDIA, "Constant
// time launch for straight-line CUDA graphs", 2024).
HostCosts graph_costs(HostCosts costs) {
  constexpr Seconds kReplay(1.0e-6);
  costs.forward = std::min(costs.forward, kReplay);
  costs.gradient = std::min(costs.gradient, kReplay);
  costs.update = std::min(costs.update, kReplay);
  return costs;
}

// The time of all layers, as the host lets the GPU have them.
void add_host(Prediction& prediction, const PredictOptions& options, const Gpu& gpu) {
  const std::optional<HostCosts> costs = host_costs(options, gpu);
  if (!costs) return;
  prediction.host = host_share(prediction.run(), options.cuda_graphs ? graph_costs(*costs) : *costs,
                               prediction.phases ? &*prediction.phases : nullptr);
  prediction.host->assumed = assumed_host(options, gpu);
  prediction.time = prediction.host->gpu_busy + prediction.host->waiting;
  constexpr double kNoticed = 0.05;  // of the time
  const bool noticed = prediction.host->waiting > prediction.time * kNoticed;
  if (options.breakdown && !options.cuda_graphs && noticed && prediction.host->assumed) {
    prediction.notes.push_back(note_of(*prediction.host->assumed));
  }
}

// The parts of a step, and the micro-batches before its last: forward, backward, and the gradients added up.
void add_step(Prediction& prediction, const PredictOptions& options, bool loss) {
  prediction.loss = loss;
  prediction.recompute = options.recompute;
  prediction.micro_batches = options.micro_batches;
  const InOrder<LayerEstimate> layers = prediction.run();
  PhaseTimes& phases = *prediction.phases;
  if (!prediction.host) phases = phase_times(layers);
  if (options.micro_batches == 1) return;
  const auto times = static_cast<double>(options.micro_batches);
  phases.forward *= times;
  phases.backward *= times;
  const InOrder<LayerEstimate> repeated =
      layers.first(static_cast<std::size_t>(std::find_if(layers.begin(), layers.end(), is_update) - layers.begin()));
  Flops flops;
  Seconds busy, issuing;
  for (const LayerEstimate& layer : repeated) {
    flops += layer.flops;
    busy += layer.time;
  }
  if (prediction.host) issuing = host_share(repeated, prediction.host->costs).issuing;
  prediction.flops += flops * (times - 1);
  prediction.time = phases.forward + phases.backward + phases.update;
  if (!prediction.host) return;
  prediction.host->gpu_busy += busy * (times - 1);
  prediction.host->issuing += issuing * (times - 1);
  prediction.host->waiting = prediction.time - prediction.host->gpu_busy;
}

// Whether most of the arithmetic is in calls of that kind.
template <typename Kind>
bool are_mostly(const PhaseCalls& calls, const Kind& kind) {
  constexpr double kMost = 0.5;
  Flops counted, all;
  for (const PhaseCalls::Layer& layer : calls.layers) {
    const LayerCall& call = calls.calls[layer.call];
    all += call.flops;
    if (kind(call.options)) counted += call.flops;
  }
  return counted > all * kMost;
}

bool multiplies_integers(const PredictOptions& options) { return options.precision == DType::int8; }

}  // namespace

PreparedNetwork::PreparedNetwork(const Workload& workload, const PredictOptions& options, Phase phase)
    : workload_(&workload), options_(options), phase_(phase) {
  const Workload run = run_as(workload, options, phase);
  name_ = run.name;
  memory_ = memory_of(run, options, phase);
  calls_ = phase_calls(run, network_options(options), phase);
  // INT8 where the graph itself multiplies integers, else what was asked for.
  multiplied_ = are_mostly(calls_, multiplies_integers) ? DType::int8 : options.precision;
  weighs_in_mxfp4_ = are_mostly(calls_, weighs_in_mxfp4);
}

Result<PreparedNetwork> PreparedNetwork::make(const Workload& workload, const PredictOptions& options, Phase phase) {
  TRY(check_integers(options, phase));
  TRY(check_weights(workload, options, phase));
  TRY(check_cache(options, phase));
  for (const Pass pass : passes_of(phase)) {
    PredictOptions own = options;
    own.pass = pass;
    TRY(check(own));
  }
  if (workload.captured) TRY(check_captured(workload, options, phase));
  return PreparedNetwork(workload, options, phase);
}

Result<Prediction> PreparedNetwork::on(const Gpu& gpu) const {
  RefinedModels models;
  return on(gpu, models);
}

Result<Prediction> PreparedNetwork::on(const Gpu& gpu, RefinedModels& models) const {
  for (const Pass pass : passes_of(phase_)) {
    PredictOptions own = options_;
    own.pass = pass;
    TRY(check(own, gpu));
  }
  TRY(check(*workload_, options_, gpu, phase_));
  Prediction prediction;
  prediction.model = name_;
  prediction.gpu = gpu.id;
  prediction.batch_size = workload_->batch_size;
  prediction.sample = sample_of(*workload_);
  prediction.precision = options_.precision;
  const bool rounded = weighs_in_mxfp4_ && rounds_for_mxfp4(options_.framework, gpu);
  const DType multiplied = rounded ? DType::fp8 : multiplied_;
  const bool halves = multiplies_on_half_lanes(gpu, network_options(options_));
  prediction.computed = halves ? DType::fp16 : computed_in(multiplied, gpu);
  prediction.method = label_of(options_);
  prediction.sm_count = gpu.sm_count;
  prediction.peak = halves ? gpu.peak(Peak::fp16) : peak_of(multiplied, gpu).value_or(FlopsPerSecond(0));
  prediction.memory = memory_;
  prediction.unsupported = workload_->skipped;
  prediction.notes = workload_->notes;
  prediction.pass = name_of_pass(phase_);
  prediction.execution = options_.execution;
  prediction.framework = options_.framework;
  prediction.autocast = options_.autocast;
  prediction.weights = options_.weights;
  prediction.expert_weights = options_.expert_weights;
  prediction.cache = options_.cache;
  prediction.layers = estimate_phase(calls_, gpu, models);
  prediction.order = calls_.order;
  for (const LayerEstimate& layer : prediction.run()) {
    prediction.time += layer.time;
    prediction.flops += layer.flops;
  }
  if (workload_->captured) {
    std::string note = general_note(*workload_->captured, prediction.run());
    if (!note.empty()) prediction.notes.push_back(std::move(note));
  }
  if (phase_ == Phase::step) prediction.phases.emplace();
  add_host(prediction, options_, gpu);
  if (phase_ == Phase::step) {
    if (!workload_->captured) prediction.optimizer = name_of(options_.optimizer);
    add_step(prediction, options_, workload_->captured || computes_loss(*workload_, options_, phase_));
  }
  if (options_.feeding != nullptr) {
    const auto batches = static_cast<double>(prediction.micro_batches);
    prediction.input = input_share(*workload_, *options_.feeding, gpu, batches, prediction.time);
    prediction.time += prediction.input->waiting;
  }
  return prediction;
}

Result<Prediction> predict(const Workload& workload, const Gpu& gpu, const PredictOptions& options, Phase phase) {
  return TRY(PreparedNetwork::make(workload, options, phase)).on(gpu);
}

}  // namespace rooftile
