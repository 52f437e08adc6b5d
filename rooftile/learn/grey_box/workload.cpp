#include "rooftile/learn/grey_box/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

using regression::FittedModel;

constexpr std::string_view kUpdateSuffix = ".update";  // of the name of an update, after its layer's

// The kind of call that the model has products of: none, or those of tables for one product and for many.
std::optional<std::string> kind_of(const FittedModel& model, const Gemm& gemm, Phase phase) {
  const std::vector<std::string> kinds =
      gemm.batch == 1 ? std::vector<std::string>{"", "linear", "dense"} : std::vector<std::string>{"", "bmm"};
  for (const std::string& kind : kinds) {
    if (knows_part(model, fmt::format("gemm {}{}{}", kind, kind.empty() ? "" : " ", name_of(phase)))) return kind;
  }
  return {};
}

// The op as a row of a table; none if the model is not for it.
std::optional<LayerRow> row_of(const FittedModel& model, const Op& op, const AskedRun& run) {
  LayerRow row;
  row.gpu = run.gpu->id;
  row.precision = run.precision;
  row.phase = run.phase;
  row.framework = framework_of(model, run);
  if (const auto* conv = std::get_if<Conv>(&op.kind)) {
    if (!knows_part(model, fmt::format("conv {}", name_of(run.phase)))) return {};
    row.op = *conv;
    return row;
  }
  const auto* gemm = std::get_if<Gemm>(&op.kind);
  if (gemm == nullptr) return {};
  const auto kind = kind_of(model, *gemm, run.phase);
  if (!kind) return {};
  row.op = *gemm;
  row.kind = *kind;
  return row;
}

GreyBoxLayerTime time_of(const Op& op, const AskedRun& run, const regression::Predicted& predicted) {
  GreyBoxLayerTime layer;
  set_layer(layer, *run.workload, op, predicted);
  layer.pass = name_of(run.phase);
  layer.fitted = true;
  layer.extrapolated = !predicted.warnings.empty();
  return layer;
}

GreyBoxLayerTime time_of(const LayerEstimate& estimate) {
  GreyBoxLayerTime layer;
  layer.name = estimate.name;
  layer.op = estimate.op;
  layer.function = estimate.function;
  layer.pass = name_of(estimate.pass);
  layer.output = estimate.output;
  layer.time = estimate.time;
  layer.time_low = estimate.time_low;
  layer.time_high = estimate.time_high;
  layer.analytic = estimate;
  return layer;
}

void warn(GreyBoxPrediction& prediction, const FittedModel& model, const AskedRun& run) {
  warn_of_unseen(prediction.warnings, model, run);
  const auto beyond = std::count_if(prediction.layers.begin(), prediction.layers.end(),
                                    [](const GreyBoxLayerTime& layer) { return layer.extrapolated; });
  if (beyond > 0) {
    prediction.warnings.push_back(fmt::format("{} outside the range of sizes in the fit",
                                              beyond == 1 ? "1 layer is" : fmt::format("{} layers are", beyond)));
  }
}

Result<void> check_asked(const FittedModel& model, const AskedRun& run) {
  if (model.kind != kGreyBoxKind) {
    return fail(ErrorCode::unsupported,
                fmt::format("the model is of kind '{}', not {}", one_line(model.kind), kGreyBoxKind));
  }
  if (run.gpus != 1) return fail(ErrorCode::unsupported, "a grey-box model is for layers on one GPU, not several");
  for (const auto& [column, cell] : run.cells) {
    if (column == "framework") continue;
    return fail(ErrorCode::usage, fmt::format("a grey-box model takes only framework, not '{}'", one_line(column)),
                "--set");
  }
  return {};
}

}  // namespace

std::optional<Interval> interval_of(const GreyBoxPrediction& prediction) {
  std::vector<LayerEstimate> layers;
  for (const GreyBoxLayerTime& one : prediction.layers) {
    LayerEstimate layer;
    layer.time = one.time;
    layer.time_low = one.time_low;
    layer.time_high = one.time_high;
    layer.common_error = std::numeric_limits<double>::infinity();  // as if all errors went the same way
    layers.push_back(std::move(layer));
  }
  return interval_of(layers);
}

Result<GreyBoxPrediction> predict_by_grey_box(const FittedModel& model, const AskedRun& run) {
  TRY(check_asked(model, run));
  PredictOptions options;
  options.precision = run.precision;
  options.framework = framework_of(model, run);
  const auto analytic = TRY(predict(*run.workload, *run.gpu, options, run.phase));

  std::map<std::string, const Op*> fitted;  // by name, which is one op's alone
  LayerTable table;
  for (const Op& op : run.workload->ops) {
    auto row = row_of(model, op, run);
    if (!row) continue;
    row->line = table.rows.size();
    fitted.emplace(op.name, &op);
    table.rows.push_back(std::move(*row));
  }
  if (fitted.empty()) {
    return fail(ErrorCode::unsupported,
                fmt::format("the fitted model covers no layer of this network in pass {}", name_of(run.phase)));
  }
  std::vector<MeasuredTable> tables;
  tables.emplace_back("the network", std::move(table));
  const auto rows = TRY(grey_box_rows(tables, {.measured = false, .gpu = run.gpu}));
  const auto predicted = TRY(predict_grey_box(model, rows));

  GreyBoxPrediction prediction;
  set_asked(prediction, model, run);
  prediction.sm_count = run.gpu->sm_count;
  prediction.memory = analytic.memory;
  std::size_t next = 0;  // of `predicted`, in the order of the ops
  for (const Op& op : run.workload->ops) {
    if (!fitted.contains(op.name)) continue;
    prediction.layers.push_back(time_of(op, run, predicted[next++]));
    prediction.fitted_time += prediction.layers.back().time;
  }
  const auto is_fitted = [&](const LayerEstimate& layer) {
    const bool update = layer.op == "update" && layer.name.ends_with(kUpdateSuffix);
    return fitted.contains(update ? layer.name.substr(0, layer.name.size() - kUpdateSuffix.size()) : layer.name);
  };
  for (const LayerEstimate& layer : analytic.layers) {
    if (!is_fitted(layer)) prediction.layers.push_back(time_of(layer));
  }
  for (const GreyBoxLayerTime& layer : prediction.layers) prediction.time += layer.time;
  if (!std::isfinite(prediction.time.value())) {
    return fail(ErrorCode::unsupported,
                "the fitted model gives no time: this network is too far from the rows of the fit");
  }
  warn(prediction, model, run);
  if (options.framework.empty() && model.fitted_on.software.size() > 1) {
    prediction.warnings.push_back(
        fmt::format("no framework given (--set framework=NAME): no framework overhead is included; the "
                    "fit has {}",
                    one_line(fmt::format("{}", fmt::join(model.fitted_on.software, ", ")), 200)));
  }
  return prediction;
}

}  // namespace rooftile
