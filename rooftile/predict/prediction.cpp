#include "rooftile/predict/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/predict/host.hpp"

namespace rooftile {
namespace {

using Bound = double (*)(const LayerEstimate&);

double low_error(const LayerEstimate& layer) { return std::max(0.0, std::log(layer.time / *layer.time_low)); }
double high_error(const LayerEstimate& layer) { return std::max(0.0, std::log(*layer.time_high / layer.time)); }

// ln of the error of the sum of `layers`, which take `all`.
double error_of(std::span<const LayerEstimate> layers, Seconds all, Bound bound) {
  struct Own {
    std::string_view op;
    Seconds time;
    double error;
  };
  double common = 0;
  std::vector<Own> own;
  own.reserve(layers.size());
  for (const LayerEstimate& layer : layers) {
    if (!interval_of(layer) || layer.time <= Seconds(0)) continue;
    const double error = bound(layer), shared = std::min(error, std::log(layer.common_error));
    const double share = layer.time / all;
    common += share * shared;
    own.push_back({layer.op, layer.time, share * std::sqrt(error * error - shared * shared)});
  }
  // Layers of one operator and time are equally wrong: their errors add up before they are squared.
  std::stable_sort(own.begin(), own.end(),
                   [](const Own& a, const Own& b) { return a.time < b.time || (a.time == b.time && a.op < b.op); });
  double squares = common * common;
  for (std::size_t i = 0; i < own.size();) {
    double error = 0;
    const Own& first = own[i];
    for (; i < own.size() && own[i].time == first.time && own[i].op == first.op; ++i) error += own[i].error;
    squares += error * error;
  }
  return std::sqrt(squares);
}

}  // namespace

std::optional<Interval> interval_of(const LayerEstimate& layer) {
  if (!layer.time_low || !layer.time_high) return std::nullopt;
  return Interval{*layer.time_low, *layer.time_high};
}

std::string why_no_interval(const LayerEstimate& layer) {
  const std::string_view family = layer.family ? name_of(*layer.family) : "its";
  switch (layer.no_interval) {
    case NoInterval::method:
      return fmt::format("method {} has none", name_of(layer.method));
    case NoInterval::constants:
      return fmt::format("the {} constants come without one", family);
    case NoInterval::vendor:
      return fmt::format("no GPU of this vendor was in the fit of the {} constants", family);
    case NoInterval::precision:
      return fmt::format("the {} constants were fitted at other precisions", family);
    case NoInterval::layers:
      return "most of its time is by methods that have none";
  }
  return "";
}

std::optional<Interval> interval_of(std::span<const LayerEstimate> layers) {
  constexpr double kMostWithout = 0.5;  // of the time
  Seconds all, without;
  for (const LayerEstimate& layer : layers) {
    all += layer.time;
    if (!interval_of(layer)) without += layer.time;
  }
  if (all <= Seconds(0) || without > all * kMostWithout) return std::nullopt;
  return Interval{all * std::exp(-error_of(layers, all, &low_error)),
                  all * std::exp(error_of(layers, all, &high_error))};
}

namespace {

// Whether a network runs PyTorch's kernels and scripts of its kind; unknown frameworks do, but for engines.
bool runs_pytorch(const Prediction& prediction) {
  constexpr std::array<std::string_view, 5> kOfPyTorch = {"PyTorch", "Torch7", "Megatron-DeepSpeed", "NeMo",
                                                          "composer"};
  const std::string& framework = prediction.framework;
  if (framework.empty()) return prediction.execution != Execution::engine;
  return std::any_of(kOfPyTorch.begin(), kOfPyTorch.end(),
                     [&](std::string_view name) { return framework.starts_with(name); });
}

}  // namespace

// So that 90 % of the networks of timm, torchvision, NeuSight and cnn-benchmarks lie within; FP32 kernels have changed
// less. Of other frameworks each source lies elsewhere as a whole: with each left out in turn the rest ask for 0.40 to
// 0.43 (docs/accuracy.md, Intervals).
double network_error(const Prediction& prediction) {
  constexpr double kFp32 = 0.1, kNarrow = 0.22, kOtherFramework = 0.4;
  const double kernels = prediction.precision == DType::fp32 ? kFp32 : kNarrow;
  return runs_pytorch(prediction) ? kernels : std::hypot(kernels, kOtherFramework);
}

namespace {

// Both ends further away by an error that is independent of theirs.
Interval widened(const Interval& interval, Seconds time, double error) {
  const double low = std::hypot(std::log(time / interval.low), error);
  const double high = std::hypot(std::log(interval.high / time), error);
  return {time * std::exp(-low), time * std::exp(high)};
}

}  // namespace

namespace {

// Of a run that takes `time` without waiting for its input.
std::optional<Interval> computing_interval(const Prediction& prediction, Seconds time) {
  auto gpu = interval_of(std::span<const LayerEstimate>(prediction.layers));
  if (!gpu) return gpu;
  Seconds busy;  // of one micro-batch, as the layers are
  for (const LayerEstimate& layer : prediction.layers) busy += layer.time;
  if (busy <= Seconds(0)) return gpu;
  if (!prediction.host) {
    const double micro_batches = time / busy;
    return Interval{gpu->low * micro_batches, gpu->high * micro_batches};
  }
  const HostShare& host = *prediction.host;
  gpu = widened(*gpu, busy, network_error(prediction));
  const double micro_batches = time / queue_time(prediction.layers, host.costs);
  const auto bound = [&](Seconds working, double range) {
    return queue_time(prediction.layers, host.costs, working / busy, range) * micro_batches;
  };
  return Interval{bound(gpu->low, 1 / host.costs.range), bound(gpu->high, host.costs.range)};
}

}  // namespace

std::optional<Interval> interval_of(const Prediction& prediction) {
  if (!prediction.input) return computing_interval(prediction, prediction.time);
  const InputShare& input = *prediction.input;
  auto interval = computing_interval(prediction, prediction.time - input.waiting);
  if (!interval) return interval;
  interval->low += input.waiting_of(interval->low);
  interval->high += input.waiting_of(interval->high);
  return interval;
}

TimeBounds time_by_bottleneck(const Prediction& prediction) {
  TimeBounds cases;
  for (const LayerEstimate& layer : prediction.layers) cases[layer.bottleneck] += layer.time;
  return cases;
}

}  // namespace rooftile
