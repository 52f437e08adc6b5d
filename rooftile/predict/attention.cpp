// Fused attention.
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {

LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("attention", Method::roofline);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;
  layer.flops = Flops(2 * macs(attention));
  const AttentionElements count = elements_of(attention);
  const Bytes element = size_of(options.precision);
  const Bytes kv = size_of(attention.kv_precision.value_or(options.precision)) * (2 * count.kv);
  add_roofline(layer, {element * count.q + kv, element * count.q}, gpu, options.precision);
  return layer;
}

}  // namespace rooftile
