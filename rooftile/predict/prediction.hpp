// The prediction of a workload on a GPU: one estimate a layer, and their sum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
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

// One kernel's share of a layer under DeLTA: all terms, for `explain`. A layer has one, a transposed convolution one
// for each of its parts.
struct DeltaKernel {
  Im2col gemm;
  double count = 1;  // equal kernels
  Plan plan;
  DeltaTraffic traffic;
  DeltaTiming timing;
};

// One product of a layer under the refined method: the plan that was the fastest.
struct RefinedKernel {
  Im2col gemm;
  double count = 1;  // equal products
  LaunchPlan plan;
};

struct LayerEstimate {
  std::string name;
  std::string op;        // name_of(OpKind)
  std::string function;  // relu, batch, concat, depthwise, …; empty where the op says it all
  Method method = Method::delta;
  Pass pass = Pass::fwd;
  Flops flops;
  Traffic traffic;  // stream and roofline: l1, l2 and dram are equal
  Cases cases;      // a layer of several kernels: their sums
  Bottleneck bottleneck = Bottleneck::compute;
  Seconds time;
  std::optional<Seconds> time_low, time_high;  // 90 % interval, where the method has one
  double kernels = 1;                          // launches
  // Of the refined method: whose constants the time is by, and what measured calls like this one change it by.
  std::optional<KernelFamily> family;
  double ratio_of_calls = 1;
  std::vector<DeltaKernel> delta;          // empty unless method is delta or prior
  std::vector<RefinedKernel> refined;      // empty unless method is rooftile
  std::vector<StreamKernel> streams;       // of a streaming layer under the refined method, else empty
  std::optional<AttentionPlan> attention;  // of attention under the refined method, else none
  Shape output;                            // shape of the first output, for people
};

struct MemoryUse {
  Bytes weights;
  Bytes activations;  // the most that is alive at once, running the ops in order
  Bytes workspace;

  Bytes total() const { return weights + activations + workspace; }
};

struct Prediction {
  std::string model;
  std::string gpu;
  std::int64_t batch_size = 1;
  DType precision = DType::fp32;
  std::string pass = "inference";
  std::string method = "delta";  // label_of() the options
  Seconds time;
  Flops flops;
  double sm_count = 1;  // of the GPU
  FlopsPerSecond peak;  // of the GPU at this precision; zero where it has none
  MemoryUse memory;
  std::vector<LayerEstimate> layers;
  std::vector<Skipped> unsupported;

  // Samples a second; none for a workload that takes no time.
  std::optional<double> throughput_per_second() const {
    if (time <= Seconds(0)) return std::nullopt;
    return static_cast<double>(batch_size) / time.value();
  }
};

// Bounds of a time.
struct Interval {
  Seconds low, high;
};

// The 90 % interval of a layer, where its method has one.
std::optional<Interval> interval_of(const LayerEstimate& layer);

// The sum of the layers' intervals, as if all errors went the same way; layers without one count with their time.
// Nothing where they make more than half of the time: too much of it is of unknown error.
std::optional<Interval> interval_of(std::span<const LayerEstimate> layers);
std::optional<Interval> interval_of(const Prediction& prediction);

// Total time of the layers that each thing limits, in the order of Bottleneck.
Cases time_by_bottleneck(const Prediction& prediction);

}  // namespace rooftile
