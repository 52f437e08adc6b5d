#include "rooftile/evaluation/methods.hpp"

#include "rooftile/ops/conv.hpp"
#include "rooftile/traffic/delta.hpp"
#include "rooftile/traffic/refined.hpp"

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

std::string_view name_of(TrafficForm form) { return form == TrafficForm::delta ? "delta" : "refined"; }
std::string_view title_of(TrafficForm form) { return form == TrafficForm::delta ? "DeLTA" : "refined"; }

Traffic traffic_by(TrafficForm form, const Conv& conv, const Gpu& gpu) {
  const Im2col gemm = im2col(conv);
  const Plan plan = delta_plan(gemm, gpu);
  if (form == TrafficForm::delta) return delta_traffic(gemm, plan, gpu.l1_request).total;
  constexpr Bytes kFp32{4};
  return refined_traffic(gemm, plan, gpu, kFp32).total;
}

}  // namespace rooftile
