#include "rooftile/learn/step_prediction.hpp"

#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/grey_box/workload.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/learn/layers/layer_prediction.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/learn/networks/network_prediction.hpp"

namespace rooftile {
namespace {

using regression::FittedModel;

Result<StepPrediction> by_layers(const FittedModel& model, const AskedRun& run) {
  if (run.gpus != 1) return fail(ErrorCode::unsupported, "a per-layer model is for one GPU, not several");
  auto sum = TRY(predict_by_layers(model, *run.workload, run.phase));
  if (sum.gpu != run.gpu->id) {
    return fail(ErrorCode::unsupported,
                fmt::format("the fitted model '{}' is for {}, not {}", one_line(model.name), sum.gpu, run.gpu->id));
  }
  if (sum.precision != run.precision) {
    return fail(ErrorCode::unsupported, fmt::format("the fitted model '{}' is for {}, not {}", one_line(model.name),
                                                    name_of(sum.precision), name_of(run.precision)));
  }
  return StepPrediction{
      .time = sum.time, .range = interval_of(sum), .warnings = warnings_of(sum), .left_out = std::move(sum.left_out)};
}

}  // namespace

Result<StepPrediction> predict_step(const FittedModel& model, const AskedRun& run) {
  if (model.kind == kLayersKind) return by_layers(model, run);
  if (model.kind == kNetworkKind) {
    auto network = TRY(predict_network(model, run));
    return StepPrediction{network.time, network.range, std::move(network.warnings), std::move(network.left_out)};
  }
  if (model.kind == kGreyBoxKind) {
    auto sum = TRY(predict_by_grey_box(model, run));
    return StepPrediction{sum.time, interval_of(sum), std::move(sum.warnings), std::move(sum.left_out)};
  }
  return fail(ErrorCode::unsupported,
              fmt::format("a fitted model of kind '{}' does not predict networks; kinds {}, {} and {} do",
                          one_line(model.kind), kLayersKind, kNetworkKind, kGreyBoxKind));
}

bool knows_several_gpus(const FittedModel& model) {
  if (model.kind != kNetworkKind) return false;
  return std::any_of(model.equations.begin(), model.equations.end(), [](const regression::FittedEquation& equation) {
    return std::any_of(equation.ranges.begin(), equation.ranges.end(),
                       [](const regression::ColumnRange& range) { return range.column == "gpus" && range.high > 1; });
  });
}

}  // namespace rooftile
