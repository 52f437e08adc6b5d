#include "rooftile/evaluation/methods.hpp"

#include "rooftile/ops/conv.hpp"

namespace rooftile {

PredictOptions evaluated(Method method) {
  PredictOptions options;
  options.method = method;
  if (method == Method::rooftile) options.plan.algorithm = std::string(name_of(Algorithm::implicit_gemm));
  return options;
}

PredictOptions prior_of(double miss_rate) {
  PredictOptions options;
  options.method = Method::prior;
  options.prior_miss_rate = miss_rate;
  return options;
}

Traffic traffic_by(Method method, const Conv& conv, const Gpu& gpu) {
  PredictOptions options = evaluated(method);
  options.plan.tile = delta_plan(im2col(conv), gpu).kernel.tile;
  return estimate(conv, gpu, options).traffic;
}

}  // namespace rooftile
