#include "rooftile/predict/prediction.hpp"

namespace rooftile {

std::optional<Interval> interval_of(const LayerEstimate& layer) {
  if (!layer.time_low || !layer.time_high) return std::nullopt;
  return Interval{*layer.time_low, *layer.time_high};
}

std::optional<Interval> interval_of(std::span<const LayerEstimate> layers) {
  constexpr double kMostWithout = 0.5;  // of the time
  Interval sum;
  Seconds all, without;
  for (const LayerEstimate& layer : layers) {
    const Interval own = interval_of(layer).value_or(Interval{layer.time, layer.time});
    sum.low += own.low;
    sum.high += own.high;
    all += layer.time;
    if (!interval_of(layer)) without += layer.time;
  }
  if (all <= Seconds(0) || without > all * kMostWithout) return std::nullopt;
  return sum;
}

std::optional<Interval> interval_of(const Prediction& prediction) {
  return interval_of(std::span<const LayerEstimate>(prediction.layers));
}

TimeBounds time_by_bottleneck(const Prediction& prediction) {
  TimeBounds cases;
  for (const LayerEstimate& layer : prediction.layers) cases[layer.bottleneck] += layer.time;
  return cases;
}

}  // namespace rooftile
