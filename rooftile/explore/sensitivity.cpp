#include "rooftile/explore/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/predict/phase_calls.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kOwn = 2;
constexpr std::array<Resource, kOwn> kOwnResources = {
    Resource{"tdp", FactUnit::watts, false, false, 0.1, 1e6,
             [](const Gpu& gpu) { return gpu.tdp ? gpu.tdp->value() : 0.0; },
             [](Gpu& gpu, double value) { gpu.tdp = Watts(value); }},
    Resource{"launch_overhead", FactUnit::seconds, false, true, 1e-12, 1,
             [](const Gpu& gpu) { return gpu.launch_overhead.value(); },
             [](Gpu& gpu, double value) { gpu.launch_overhead = Seconds(value); }},
};

std::vector<Resource> all_resources() {
  std::vector<Resource> all;
  for (const ParameterRow& row : parameters()) {
    if (row.write == nullptr) continue;
    const bool latency = row.unit == FactUnit::cycles;
    all.push_back({row.name, row.unit, row.whole, latency, row.least, row.most, row.read, row.write});
  }
  all.insert(all.end(), kOwnResources.begin(), kOwnResources.end());
  return all;
}

constexpr std::size_t kMostOps = 20'000;

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// A smooth time's difference over a small step h is that of its slope; a jump is not.
constexpr double kStep = 1e-5;
constexpr double kSteepest = 100;        // elasticities beyond it are jumps
constexpr double kElasticityGrid = 1e7;  // elasticities are rounded to one over it: beyond stands the rounding of times
constexpr double kAll = 0.05;            // share of a gain that may be missing from all of it
constexpr double kAgree = 1e-3;          // of two slopes without a kink between them

class Study {
 public:
  Study(const Workload& workload, const Gpu& gpu, const PredictOptions& options, Phase phase, const Prediction& base)
      : workload_(workload), gpu_(gpu), options_(options), phase_(phase), base_(base) {
    calls_ = phase_calls(run_as(workload, options, phase), network_options(options), phase);
    RefinedModels models;
    for (LayerCall& call : calls_.calls) {
      plan_ahead(call, gpu, models);
      call.options.breakdown = false;
    }
  }

  ResourceSensitivity of(const Resource& resource) const {
    ResourceSensitivity result;
    result.resource = &resource;
    result.value = resource.read(gpu_);
    std::tie(result.less, result.layers_less) = side(resource, result.value, -1);
    std::tie(result.more, result.layers_more) = side(resource, result.value, +1);
    follow(result);
    return result;
  }

 private:
  // What predict() says of the whole and of each layer, many times faster.
  struct Times {
    Seconds time;
    std::vector<Seconds> layers;
  };
  Result<Times> at(const Resource& resource, double value) const {
    const Gpu changed = changed_to(resource, value);
    for (const Pass pass : passes_of(phase_)) {
      PredictOptions own = options_;
      own.pass = pass;
      TRY(check(own, changed));
    }
    RefinedModels models;
    LayerEstimate estimated;
    std::vector<Seconds> of_calls;
    of_calls.reserve(calls_.calls.size());
    for (const LayerCall& call : calls_.calls) {
      estimate(call, changed, models, estimated);
      of_calls.push_back(estimated.time);
    }
    Times times;
    times.layers.reserve(calls_.layers.size());
    for (const PhaseCalls::Layer& layer : calls_.layers) {
      times.layers.push_back(of_calls[layer.call]);
      times.time += times.layers.back();
    }
    return times;
  }

  Gpu changed_to(const Resource& resource, double value) const {
    Gpu changed = gpu_;
    resource.write(changed, value);
    return changed;
  }

  double time_at(const Resource& resource, double value) const {
    const auto times = at(resource, value);
    return times ? times->time.value() : kImpossible;
  }

  // One side's slopes: of the whole and of each layer.
  std::pair<Slope, std::vector<Slope>> side(const Resource& resource, double value, int sign) const {
    const std::size_t layers = base_.layers.size();
    std::pair<Slope, std::vector<Slope>> slopes{{}, std::vector<Slope>(layers)};
    if (resource.whole) {
      const double neighbour = value + sign;
      if (neighbour < resource.least || neighbour > resource.most) return slopes;
      const auto beyond = at(resource, neighbour);
      if (!beyond) return slopes;
      const double distance = std::log(neighbour / value);
      slopes.first = whole_slope(base_.time, beyond->time, distance);
      for (std::size_t i = 0; i < layers; ++i) {
        slopes.second[i] = whole_slope(base_.layers[i].time, beyond->layers[i], distance);
      }
      return slopes;
    }
    // At steps of h, h / 2 and h / 16.
    std::array<Result<Times>, 3> near = {at(resource, value * (1 + sign * kStep)),
                                         at(resource, value * (1 + sign * kStep / 2)),
                                         at(resource, value * (1 + sign * kStep / 16))};
    for (const auto& times : near) {
      if (!times) return slopes;
    }
    slopes.first = smooth_slope(base_.time, near[0]->time, near[1]->time, near[2]->time, sign);
    for (std::size_t i = 0; i < layers; ++i) {
      slopes.second[i] =
          smooth_slope(base_.layers[i].time, near[0]->layers[i], near[1]->layers[i], near[2]->layers[i], sign);
    }
    return slopes;
  }

  static double rounded(double elasticity) { return std::round(elasticity * kElasticityGrid) / kElasticityGrid + 0.0; }

  static Slope whole_slope(Seconds here, Seconds beyond, double distance) {
    if (here <= Seconds(0)) return {};
    const double elasticity = std::log(beyond / here) / distance;
    if (std::abs(elasticity) > kSteepest) return {.elasticity = 0, .step = true, .jump = beyond / here};
    return {.elasticity = rounded(elasticity), .step = false, .jump = 1};
  }

  static Slope smooth_slope(Seconds here, Seconds far, Seconds half, Seconds nearest, int sign) {
    if (here <= Seconds(0)) return {};
    const auto slope = [&](Seconds beyond, double h) { return std::log(beyond / here) / std::log1p(sign * h); };
    const double closest = slope(nearest, kStep / 16);
    if (std::abs(closest) > kSteepest) return {.elasticity = 0, .step = true, .jump = nearest / here};
    const double one = slope(far, kStep), two = slope(half, kStep / 2);
    // Without a kink between, the error is in proportion to h: the extrapolation is free of it.
    const bool kink = std::abs(one - two) > kAgree || std::abs(two - closest) > kAgree;
    return {.elasticity = rounded(kink ? closest : 2 * two - one), .step = false, .jump = 1};
  }

  // How far more of the resource helps.
  void follow(ResourceSensitivity& result) const {
    const Resource& resource = *result.resource;
    const auto value_of = [&](double factor) {
      const double value = resource.less_is_better ? result.value / factor : result.value * factor;
      return std::clamp(resource.whole ? std::round(value) : value, std::min(resource.least, result.value),
                        std::max(resource.most, result.value));
    };
    const auto time_of = [&](double factor) { return time_at(resource, value_of(factor)); };
    const double now = base_.time.value();
    result.next = largest(time_by_bottleneck(base_));
    if (now <= 0) return;
    // Times at factors of sqrt 2 up to the end; more may cost again (SMs share the bandwidths), so the least counts.
    constexpr int kSteps = 40;
    const auto factor_of = [](int step) { return std::exp2(step * std::log2(kUnlimited) / kSteps); };
    std::array<double, kSteps + 1> times{};
    times[0] = now;
    for (int i = 1; i <= kSteps; ++i) times[static_cast<std::size_t>(i)] = time_of(factor_of(i));
    const auto best = std::min_element(times.begin(), times.end());
    const double end = *best;
    result.unlimited = end / now;
    if (!(1 - result.unlimited > kGainCounts)) return;
    // The smallest factor at which the time is at most `target`, between two of those.
    const auto first = [&](double target) {
      const auto found = std::find_if(times.begin(), times.end(), [&](double time) { return time <= target; });
      const auto step = static_cast<int>(found - times.begin());
      constexpr int kHalvings = 20;
      double low = std::log2(factor_of(step - 1)), high = std::log2(factor_of(step));
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (time_of(std::exp2(middle)) <= target ? high : low) = middle;
      }
      return std::exp2(high);
    };
    const auto factor_to = [&](double factor) {
      const double value = value_of(factor);
      return resource.less_is_better ? result.value / value : value / result.value;
    };
    result.half_at = factor_to(first((now + end) / 2));
    result.stops_at = factor_to(first(end + std::min(kGainCounts * now, kAll * (now - end))));
    const double value = value_of(factor_of(static_cast<int>(best - times.begin())));
    const auto there = predict(workload_, changed_to(resource, value), options_, phase_);
    if (there) result.next = largest(time_by_bottleneck(*there));
  }

  const Workload& workload_;
  const Gpu& gpu_;
  const PredictOptions& options_;
  Phase phase_;
  const Prediction& base_;
  PhaseCalls calls_;
};

// What the time falls by, in the better direction, for a share more.
double worth(const ResourceSensitivity& row) {
  const Slope& slope = row.resource->less_is_better ? row.less : row.more;
  const double elasticity = row.resource->less_is_better ? slope.elasticity : -slope.elasticity;
  // Differences of the order of rounding are none.
  constexpr double kNoise = 1e-6;
  return std::abs(elasticity) < kNoise ? 0 : elasticity;
}

}  // namespace

std::span<const Resource> resources() {
  static const std::vector<Resource> all = all_resources();
  return all;
}

Result<Sensitivity> sensitivity(const Workload& workload, const Gpu& gpu, const PredictOptions& options, Phase phase,
                                const ResourcesDone& progress) {
  // No resource of the GPU makes its host faster: what counts is the time that the GPU is busy.
  PredictOptions without_host = options;
  without_host.host = false;
  if (workload.ops.size() > kMostOps) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} operators are too many, each is predicted over a thousand times; at most {}",
                            workload.ops.size(), kMostOps),
                workload.name);
  }
  auto base = TRY(predict(workload, gpu, without_host, phase));
  std::vector<const Resource*> present;
  for (const Resource& resource : resources()) {
    if (resource.read(gpu) > 0) present.push_back(&resource);
  }
  Sensitivity result;
  result.prediction = std::move(base);
  result.resources.resize(present.size());
  const Study study(workload, gpu, without_host, phase, result.prediction);
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&](std::size_t) {
    for (std::size_t i = next++; i < present.size(); i = next++) {
      result.resources[i] = study.of(*present[i]);
      const std::lock_guard<std::mutex> lock(telling);
      ++done;
      if (progress) progress(done, present.size());
    }
  };
  on_threads(std::min<std::size_t>(machine_threads(), present.size()), work);
  std::stable_sort(result.resources.begin(), result.resources.end(), [](const auto& a, const auto& b) {
    return worth(a) != worth(b) ? worth(a) > worth(b) : a.unlimited < b.unlimited;
  });
  return result;
}

}  // namespace rooftile
