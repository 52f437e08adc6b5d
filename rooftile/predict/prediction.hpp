// The prediction of a workload on a GPU: one estimate a layer, and their sum.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//     #include "rooftile/predict/predict.hpp"
//
//     const Prediction prediction = predict(load_model("alexnet").value(), find_gpu("t4").value()).value();
//     Seconds sum;
//     for (const LayerEstimate& layer : prediction.layers) sum += layer.time;
//     assert(sum + prediction.host->waiting <= prediction.time * 1.001);  // batch 1: the host is what takes long
//     assert(interval_of(prediction)->low < prediction.time);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "rooftile/base/in_order.hpp"
#include "rooftile/calibration/host.hpp"
#include "rooftile/execution/recompute.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/hosts/input_share.hpp"
#include "rooftile/ops/stream_kernel.hpp"
#include "rooftile/plan/attention_plan.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/plan/plan.hpp"
#include "rooftile/timing/delta.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/traffic/delta.hpp"
#include "rooftile/traffic/traffic.hpp"
#include "rooftile/workload/pass.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// An implicit GEMM under DeLTA: all terms, for `explain`. A layer has one, a transposed convolution one for each of its
// parts.
struct DeltaKernel {
  Im2col gemm;
  Plan plan;
  DeltaTraffic traffic;
  DeltaTiming timing;
};

// One product of a layer under the refined method: the plan that was the fastest, with all kernels that it launches.
struct RefinedKernel {
  Im2col gemm = {};
  LaunchPlan plan = {};
};

// The steps of a recurrent layer, all of them; its products over all steps are kernels beside them.
struct RecurrentSteps {};

// What a kernel loads when its products are done, for the operators that are fused into it. No launch of its own.
struct FusedLoads {};

// The wait for sums of a column's parts, one after another. No launch of its own either.
struct OrderedSums {};

// A kernel of a layer, or several that are alike, with what one of them moves and takes.
struct KernelEstimate {
  double count = 1;     // alike
  double launches = 1;  // of one
  Traffic traffic = {};
  TimeBounds cases = {};
  Seconds time = {};
  // How it runs; nothing where the layer is estimated as a whole (roofline, stream by other methods than rooftile).
  std::variant<std::monostate, DeltaKernel, RefinedKernel, StreamKernel, AttentionPlan, RecurrentSteps, FusedLoads,
               OrderedSums>
      plan = {};
};

// Why a time has no 90 % interval.
enum class NoInterval {
  method,     // the method has none
  constants,  // nor have the constants of its family
  vendor,     // at most one GPU of the vendor was measured for the family: nothing tells how much others differ
  precision,  // nor was the family at the precision
  layers,     // most of a sum is by methods that have none
};

// What the host does to issue a layer.
enum class Issue : std::uint8_t { unknown, nothing, dispatch, forward, gradient, update, dispatch_update };

// What a layer takes and moves, without texts.
struct LayerNumbers {
  Method method = Method::delta;
  Pass pass = Pass::fwd;
  StepPart part = StepPart::forward;
  Bottleneck bottleneck = Bottleneck::compute;
  // Where a prediction is of a whole network: 1 and on, the same for layers that share their estimate; how it is
  // issued.
  std::uint32_t call = 0;
  Issue issue = Issue::unknown;
  bool general = false;                         // CapturedCall::general
  NoInterval no_interval = NoInterval::method;  // where there is none
  Seconds time;
  std::optional<Seconds> time_low, time_high;  // 90 % interval, where the method has one
  double common_error = 1;                     // factor of it, either way, that all layers share
  double kernels = 1;                          // launches
  Flops flops;
  // Of the refined method: whose constants the time is by, and what measured calls like this one change it by.
  std::optional<KernelFamily> family;
  double ratio_of_calls = 1;
  Traffic traffic;   // the sum of its kernels'
  TimeBounds cases;  // theirs, and the overhead of the call
};

// Without PredictOptions::breakdown the texts and lists may be missing.
struct LayerEstimate : LayerNumbers {
  std::string name;
  std::string op;        // name_of(OpKind)
  std::string function;  // relu, batch, concat, depthwise, …; empty where the op says it all
  std::vector<KernelEstimate> breakdown;
  std::vector<std::string> members;  // Op::members
  Shape output;                      // shape of the first output, for people

  // As new, but for the memory, which is used again.
  void clear() {
    static_cast<LayerNumbers&>(*this) = {};
    name.clear();
    op.clear();
    function.clear();
    breakdown.clear();
    members.clear();
    output.clear();
  }
};

// The plan of a layer's first kernel if it is of that kind, else null.
template <class Plan>
const Plan* first_plan(const LayerEstimate& layer) {
  return layer.breakdown.empty() ? nullptr : std::get_if<Plan>(&layer.breakdown.front().plan);
}

// Whether it is part of the optimiser's work.
inline bool is_update(const LayerEstimate& layer) { return layer.part == StepPart::update; }

// The kernels of a layer that are planned in one way.
template <class Plan>
struct Planned {
  const KernelEstimate& kernel;
  const Plan& plan;
};
template <class Plan>
std::vector<Planned<Plan>> planned(const LayerEstimate& layer) {
  std::vector<Planned<Plan>> found;
  for (const KernelEstimate& kernel : layer.breakdown) {
    if (const auto* plan = std::get_if<Plan>(&kernel.plan)) found.push_back({kernel, *plan});
  }
  return found;
}

struct MemoryUse {
  Bytes weights;
  Bytes gradients;    // of the weights
  Bytes optimizer;    // what it keeps from step to step
  Bytes activations;  // the most that is alive at once, with their gradients, running the ops in order
  Bytes workspace;    // of the largest layer

  Bytes total() const { return weights + gradients + optimizer + activations + workspace; }
};

// The time of a training step by what it is for; with whatever the GPU waits for the host.
struct PhaseTimes {
  Seconds forward, backward, update;
};

// The host that is taken where none is told: a server, or one whose processor PassMark rates so (single thread).
struct AssumedHost {
  std::optional<double> single_thread;
};

// What the host has to do with the time of a network.
struct HostShare {
  HostCosts costs;
  Seconds gpu_busy;                         // the sum of the layers
  Seconds waiting;                          // of the GPU for the host
  Seconds issuing;                          // of the host, all operators
  std::optional<AssumedHost> assumed = {};  // none: one was told
};

// What the batch consists of.
struct Sample {
  Shape shape;              // of one sample of the network's first input; empty: no input has the batch
  std::int64_t tokens = 0;  // of a text; 0: it reads none
  std::int64_t cached = 0;  // tokens before these, whose keys and values a cache holds
};

struct Prediction {
  std::string model;
  std::string gpu;
  std::int64_t batch_size = 1;
  Sample sample;
  DType precision = DType::fp32;        // stored
  DType computed = DType::fp32;         // what products are computed in
  std::optional<DType> weights;         // what their weights are stored in, where that is narrower
  std::optional<DType> expert_weights;  // of experts
  std::optional<DType> cache;           // of earlier keys and values, where it was asked for
  std::string pass = "inference";
  std::string method = "delta";  // label_of() the options
  Execution execution = Execution::eager;
  std::string framework = {};        // PredictOptions::framework
  bool autocast = false;             // RunPrecision
  Seconds time;                      // with whatever the GPU waits for the host
  std::optional<HostShare> host;     // none: not predicted
  std::optional<PhaseTimes> phases;  // of a training step
  std::string optimizer;             // of one; empty: none, or the captured program's own
  std::optional<InputShare> input;   // what preparing its input adds; none: not predicted
  std::int64_t micro_batches = 1;    // of a training step; the layers are of one
  Recompute recompute = Recompute::none;
  bool loss = false;  // is among the layers
  Flops flops;
  double sm_count = 1;  // of the GPU
  FlopsPerSecond peak;  // of the GPU at this precision; zero where it has none
  MemoryUse memory;
  // As they run. Without PredictOptions::breakdown only those that differ, and which of them each one is.
  std::vector<LayerEstimate> layers;
  std::vector<std::uint32_t> order = {};
  std::vector<Skipped> unsupported;
  std::vector<std::string> notes = {};  // Workload::notes

  // All of them as they run.
  InOrder<LayerEstimate> run() const { return {layers, order}; }

  // "amp-fp16"
  std::string precision_name() const { return name_of(RunPrecision{precision, autocast}); }

  // Samples a second; none for a workload that takes no time.
  std::optional<double> throughput_per_second() const {
    if (time <= Seconds(0)) return std::nullopt;
    return static_cast<double>(batch_size * micro_batches) / time.value();
  }
};

// Bounds of a time.
struct Interval {
  Seconds low, high;
};

// The 90 % interval of a layer, where its method has one.
std::optional<Interval> interval_of(const LayerEstimate& layer);

// Why it has none, for people.
std::string why_no_interval(const LayerEstimate& layer);

// ln of what networks err by beyond their layers, either way: kernels that a framework's release runs and that were not
// foreseen.
double network_error(const Prediction& prediction);

// Of all layers together. Of their errors, ln(measured / predicted), one part is common to all and adds up, the other
// is a layer's own, equal in equal layers, and adds up in squares. Layers without an interval count with their time;
// nothing where they make more than half of it: too much is of unknown error.
std::optional<Interval> interval_of(const InOrder<LayerEstimate>& layers);
std::optional<Interval> interval_of(const Prediction& prediction);

// Total time of the layers that each thing limits, in the order of Bottleneck.
TimeBounds time_by_bottleneck(const Prediction& prediction);

}  // namespace rooftile
