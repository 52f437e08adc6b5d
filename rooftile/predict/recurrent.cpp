// Recurrent layers.
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {

LayerEstimate estimate(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("recurrent", Method::roofline);
  layer.pass = options.pass;
  layer.flops = Flops(2 * macs(recurrent));
  const double positions = static_cast<double>(recurrent.batch) * static_cast<double>(recurrent.steps);
  const double in = static_cast<double>(recurrent.input);
  const double out = static_cast<double>(recurrent.hidden) * static_cast<double>(recurrent.directions);
  const Bytes element = size_of(options.precision);
  add_roofline(layer, {element * (positions * in + weights_of(recurrent)), element * (positions * out)}, gpu,
               options.precision);
  return layer;
}

}  // namespace rooftile
