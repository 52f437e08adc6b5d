#include "rooftile/predict/prediction.hpp"

namespace rooftile {

Cases time_by_bottleneck(const Prediction& prediction) {
  Cases cases;
  for (const LayerEstimate& layer : prediction.layers) cases[layer.bottleneck] += layer.time;
  return cases;
}

}  // namespace rooftile
