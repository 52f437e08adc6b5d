#include "rooftile/predict/prediction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/predict/host.hpp"

namespace rooftile {
namespace {

// ln of how far the sum of layers may be off, either way.
struct SumError {
  double low = 0, high = 0;

  void add_square(const SumError& of) {
    low += of.low * of.low;
    high += of.high * of.high;
  }
};

// Layers of one operator and time, which are equally wrong: their errors add up before they are squared.
struct Alike {
  const LayerEstimate* last;
  SumError error, shared;  // of that one
  SumError own;            // of all
};

bool as_wrong(const LayerEstimate& a, const LayerEstimate& b) {
  return a.time_low == b.time_low && a.time_high == b.time_high && a.common_error == b.common_error;
}

// `most`: ln of what it shares with all.
void set_error(Alike& alike, const LayerEstimate& layer, double most) {
  alike.error = {std::max(0.0, std::log(layer.time / *layer.time_low)),
                 std::max(0.0, std::log(*layer.time_high / layer.time))};
  alike.shared = {std::min(alike.error.low, most), std::min(alike.error.high, most)};
}

// Layers that share their estimate.
struct Repeated {
  const LayerEstimate* layer;
  double times;
};

std::vector<Repeated> repeated(const InOrder<LayerEstimate>& layers) {
  std::vector<double> times(layers.elements().size());
  for (std::size_t i = 0; i < layers.size(); ++i) ++times[layers.which(i)];
  std::vector<Repeated> all;
  all.reserve(times.size());
  std::vector<std::size_t> places;  // by call; the first is of those without
  for (std::size_t i = 0; i < times.size(); ++i) {
    const LayerEstimate& layer = layers.elements()[i];
    if (!layer.time_low || !layer.time_high || layer.time <= Seconds(0)) continue;
    if (layer.call >= places.size()) places.resize(2 * layer.call + 1, layers.size());
    std::size_t& place = places[layer.call];
    const bool known = layer.call > 0 && place < all.size() && all[place].layer->time == layer.time &&
                       as_wrong(*all[place].layer, layer);
    if (known) {
      all[place].times += times[i];
    } else {
      place = all.size();
      all.push_back({&layer, times[i]});
    }
  }
  return all;
}

// Finds the first layer of each time and operator: a hash table with room for all.
class Firsts {
 public:
  explicit Firsts(const std::vector<Repeated>& layers)
      : layers_(layers), slots_(std::bit_ceil(2 * layers.size() + 1)) {}

  // That of the layer at `place`, itself where there was none before.
  std::size_t find(std::size_t place) {
    const LayerEstimate& layer = *layers_[place].layer;
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    constexpr int kHigh = 32;  // bits that all of the time has gone into
    std::size_t slot = (std::bit_cast<std::uint64_t>(layer.time.value()) * kOdd) >> kHigh;
    for (;; ++slot) {
      std::uint32_t& known = slots_[slot & (slots_.size() - 1)];
      if (known == 0) {
        known = static_cast<std::uint32_t>(place) + 1;
        return place;
      }
      const LayerEstimate& other = *layers_[known - 1].layer;
      if (other.time == layer.time && other.op == layer.op) return known - 1;
    }
  }

 private:
  const std::vector<Repeated>& layers_;
  std::vector<std::uint32_t> slots_;  // place + 1; 0: free
};

// Of `layers`, which take `all`.
SumError error_of(const InOrder<LayerEstimate>& layers, Seconds all) {
  const std::vector<Repeated> runs = repeated(layers);
  Firsts firsts(runs);
  std::vector<std::size_t> places(runs.size());
  std::vector<Alike> alike;  // in the order of the first ones
  alike.reserve(runs.size());
  SumError common;
  double most_of = 1, most = 0;  // ln of the common error of the last layer: most have the same
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [layer, times] = runs[i];
    const std::size_t first_one = firsts.find(i);
    const bool first = first_one == i;
    if (first) {
      places[i] = alike.size();
      alike.push_back({});
    }
    Alike& of = alike[places[first_one]];
    if (layer->common_error != most_of) {
      most_of = layer->common_error;
      most = std::log(most_of);
    }
    if (first || !as_wrong(*layer, *of.last)) set_error(of, *layer, most);
    of.last = layer;
    const double share = layer->time / all * times;
    common.low += share * of.shared.low;
    common.high += share * of.shared.high;
    of.own.low += share * std::sqrt(of.error.low * of.error.low - of.shared.low * of.shared.low);
    of.own.high += share * std::sqrt(of.error.high * of.error.high - of.shared.high * of.shared.high);
  }
  SumError squares;
  squares.add_square(common);
  for (const Alike& one : alike) squares.add_square(one.own);
  return {std::sqrt(squares.low), std::sqrt(squares.high)};
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
      return fmt::format("at most one GPU of this vendor was in the fit of the {} constants", family);
    case NoInterval::precision:
      return fmt::format("the {} constants were fitted at other precisions", family);
    case NoInterval::layers:
      return "most of its time is by methods that have none";
  }
  return "";
}

namespace {

// Of layers, which take `all` together.
std::optional<Interval> interval_of_sum(const InOrder<LayerEstimate>& layers, Seconds& all) {
  constexpr double kMostWithout = 0.5;  // of the time
  Seconds without;
  all = Seconds(0);
  for (const LayerEstimate& layer : layers) {
    all += layer.time;
    if (!layer.time_low || !layer.time_high) without += layer.time;
  }
  if (all <= Seconds(0) || without > all * kMostWithout) return std::nullopt;
  const SumError error = error_of(layers, all);
  return Interval{all * std::exp(-error.low), all * std::exp(error.high)};
}

}  // namespace

std::optional<Interval> interval_of(const InOrder<LayerEstimate>& layers) {
  Seconds all;
  return interval_of_sum(layers, all);
}

// What tests/accuracy/network_errors.py finds: these hold 90 % of the rows of networks on one GPU, every source (a
// folder and a framework) counting as much. With any source left out the others ask for 0.19 to 0.23, 0.32 to 0.34 and
// 0.39 to 0.49. Narrow kernels are known where PyTorch with CUDA 11 or later runs, or an engine.
double network_error(const Prediction& prediction) {
  constexpr double kFp32 = 0.22, kNarrow = 0.34, kOtherNarrow = 0.49;
  const bool tf32_as_fp32 = prediction.precision == DType::tf32 && prediction.computed == DType::fp32;
  if (prediction.precision == DType::fp32 || tf32_as_fp32) return kFp32;
  const std::string& framework = prediction.framework;
  const bool recent_pytorch = framework.empty() || (runs_pytorch(framework) && !precedes_cuda11(framework));
  return recent_pytorch || prediction.execution == Execution::engine ? kNarrow : kOtherNarrow;
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
  Seconds busy;  // of one micro-batch, as the layers are
  auto gpu = interval_of_sum(prediction.run(), busy);
  if (!gpu) return gpu;
  if (!prediction.host) {
    const double micro_batches = time / busy;
    return Interval{gpu->low * micro_batches, gpu->high * micro_batches};
  }
  const HostShare& host = *prediction.host;
  gpu = widened(*gpu, busy, network_error(prediction));
  const double range = host.costs.range;
  const auto queues =
      queue_times(prediction.run(), host.costs, {{{}, {gpu->low / busy, 1 / range}, {gpu->high / busy, range}}});
  const double micro_batches = time / queues[0];
  return Interval{queues[1] * micro_batches, queues[2] * micro_batches};
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
  for (const LayerEstimate& layer : prediction.run()) cases[layer.bottleneck] += layer.time;
  return cases;
}

}  // namespace rooftile
