#include "rooftile/report/peak_share.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/predict/plan_summary.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// Whether it multiplies transformed inputs, of which there are fewer.
bool transforms(const LayerEstimate& layer) {
  const auto plan = plan_summary(layer, 1);
  return plan && (plan->algorithm == Algorithm::winograd || plan->algorithm == Algorithm::winograd_nonfused ||
                  plan->algorithm == Algorithm::fft);
}

}  // namespace

std::string share_of_peak(const Prediction& prediction) {
  return fmt::format("{} of the {} {} peak", percent(prediction.flops / prediction.time / prediction.peak, 1),
                     print(prediction.peak), name_of(prediction.computed));
}

std::string why_above_peak(const Prediction& prediction) {
  if (prediction.flops / prediction.time <= prediction.peak) return "";
  const auto fewer = std::count_if(prediction.layers.begin(), prediction.layers.end(), transforms);
  if (fewer == 0) return "";
  return fmt::format("FLOPs of direct convolution; Winograd and FFT ({}) do fewer",
                     counted(static_cast<std::size_t>(fewer), "layer"));
}

}  // namespace rooftile
