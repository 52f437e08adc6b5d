// What a resource is worth: how a network's time answers to each number of a GPU, and until when another limit takes
// over.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     const Workload workload = load_model("alexnet").value();
//     const Gpu gpu = find_gpu("titan-xp-delta").value();
//     const Sensitivity study = sensitivity(workload, gpu, {.method = Method::delta}).value();
//     assert(study.resources.front().more.elasticity < 0);  // more of it takes less time
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/parameter.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// A number of a GPU that the time depends on: those of parameters() that are part of a GPU, the board's power, the
// overhead of a launch.
struct Resource {
  std::string_view name;
  FactUnit unit = FactUnit::count;
  bool whole = false;
  bool less_is_better = false;  // latencies, overheads
  double least = 0, most = 0;
  double (*read)(const Gpu&) = nullptr;  // base units; zero: the GPU has no such thing
  void (*write)(Gpu&, double value) = nullptr;
};
std::span<const Resource> resources();

// How a time answers to a change to one side.
struct Slope {
  double elasticity = 0;  // d ln time / d ln resource on this side; of whole numbers, of the step to the next one
  bool step = false;      // the time jumps at the very value: no elasticity
  double jump = 1;        // time beyond the step over time here
};

struct ResourceSensitivity {
  const Resource* resource = nullptr;
  double value = 0;
  Slope less, more;                             // of the network's time
  std::vector<Slope> layers_less, layers_more;  // in the order of the prediction's layers
  // In the better direction: the least time, over that now, for up to kUnlimited times the resource, as far as its
  // range goes.
  double unlimited = 1;
  double half_at = 1;                     // factor on the resource at which half of that gain is had
  double stops_at = 1;                    // … at which no more than 0.1 % of the time, and 5 % of the gain, are left
  Bottleneck next = Bottleneck::compute;  // what limits most of the time with all of it
};
constexpr double kUnlimited = 1 << 20;
constexpr double kGainCounts = 1e-3;  // share of the time; less is no gain, and its factors are 1

struct Sensitivity {
  Prediction prediction;                       // on the GPU as it is
  std::vector<ResourceSensitivity> resources;  // what helps most first: by elasticity, then by gain
};

// Of predict(workload, gpu, options, phase) by one-sided differences: at a kink of a maximum each side has its own
// elasticity; where the time jumps (a number of CTAs or waves changes) the side is a step. Exact to about 1e-6 where
// the time is smooth within 1e-5 of the value. Factors are found by trying steps of sqrt 2, then halving: more of a
// resource may cost again (more SMs share the same bandwidths). `progress` is told how many of the resources are done;
// any thread, one at a time. Errors: those of predict().
using ResourcesDone = std::function<void(std::size_t done, std::size_t all)>;
Result<Sensitivity> sensitivity(const Workload& workload, const Gpu& gpu, const PredictOptions& options = {},
                                Phase phase = Phase::fwd, const ResourcesDone& progress = {});

}  // namespace rooftile
