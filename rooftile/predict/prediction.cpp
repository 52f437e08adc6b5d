#include "rooftile/predict/prediction.hpp"

namespace rooftile {

std::optional<Interval> interval_of(const LayerEstimate& layer) {
  if (!layer.time_low || !layer.time_high) return std::nullopt;
  return Interval{*layer.time_low, *layer.time_high};
}

std::optional<Interval> interval_of(const Prediction& prediction) {
  Interval sum;
  bool any = false;
  for (const LayerEstimate& layer : prediction.layers) {
    const auto own = interval_of(layer);
    any = any || own;
    sum.low += own ? own->low : layer.time;
    sum.high += own ? own->high : layer.time;
  }
  if (!any) return std::nullopt;
  return sum;
}

Cases time_by_bottleneck(const Prediction& prediction) {
  Cases cases;
  for (const LayerEstimate& layer : prediction.layers) cases[layer.bottleneck] += layer.time;
  return cases;
}

}  // namespace rooftile
