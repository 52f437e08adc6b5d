// rooftile predict MODEL --method FITTED: a network by a fitted model.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/predict_command.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/learn/layers/layer_prediction.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/report/fitted_prediction.hpp"
#include "rooftile/report/layers.hpp"

namespace rooftile::cli {
namespace {

using regression::FittedModel;

// A network as the user asked for it.
struct Asked {
  const std::string& model;
  const PredictionArguments& prediction;
  FittedRun run;
  OutputArguments output;
  bool all_layers = false;
};

// A prediction as it is to be shown.
template <class Prediction>
struct Shown {
  const Prediction& prediction;  // or one a GPU
  bool all_layers = false;
};
using ShownLayers = const Shown<LayersPrediction>&;
using ShownGreyBox = const Shown<std::vector<GreyBoxPrediction>>&;
using NetworkPredictions = std::span<const NetworkPrediction>;

constexpr Writers<ShownLayers> kLayersWriters = {
    {Format::table,
     [](ShownLayers of, std::size_t width) { return layers_table(of.prediction, of.all_layers, width); }},
    {Format::json, [](ShownLayers of) { return layers_json(of.prediction); }},
    {Format::csv, [](ShownLayers of) { return layers_csv(of.prediction); }}};
constexpr Writers<NetworkPredictions> kNetworkWriters = {{Format::table, network_prediction_table},
                                                         {Format::json, network_prediction_json},
                                                         {Format::csv, network_prediction_csv}};
constexpr Writers<ShownGreyBox> kGreyBoxWriters = {
    {Format::table,
     [](ShownGreyBox of, std::size_t width) { return grey_box_prediction_table(of.prediction, of.all_layers, width); }},
    {Format::json, [](ShownGreyBox of) { return grey_box_prediction_json(of.prediction); }},
    {Format::csv, [](ShownGreyBox of) { return grey_box_prediction_csv(of.prediction); }}};

// --- per-layer models, which are of one GPU and precision ------------------------------------------------------------

// What the user asked for is what the model is of.
Result<void> check_asked(const PredictionArguments& asked, const LayersPrediction& prediction) {
  for (const std::string& selector : asked.gpus) {
    const auto gpu = TRY(gpu_of_option(selector));
    if (gpu.id != prediction.gpu) {
      return usage(
          fmt::format("--gpu: the fitted model '{}' is for {}, not {}", prediction.fitted, prediction.gpu, gpu.id));
    }
  }
  if (asked.precision && *asked.precision != prediction.precision) {
    return usage(fmt::format("--precision: the fitted model '{}' is for {}, not {}", prediction.fitted,
                             name_of(prediction.precision), name_of(*asked.precision)));
  }
  return {};
}

Result<void> by_layers(const FittedModel& fitted, const Workload& workload, const Asked& asked) {
  auto prediction = TRY(predict_by_layers(fitted, workload, phase_of(asked.prediction, workload)));
  prediction.iterations = asked.run.iterations;
  TRY(check_asked(asked.prediction, prediction));
  return write_report(asked.output, kLayersWriters, {prediction, asked.all_layers});
}

// --- end-to-end and grey-box models ---------------------------------------------------------------------------------

std::string names_in(const std::vector<std::string>& list) {
  return one_line(fmt::format("{}", fmt::join(list, ", ")), 200);
}

// Those asked for, else the only one that the model is of.
Result<std::vector<Gpu>> gpus_of(const FittedModel& fitted, const PredictionArguments& asked) {
  std::vector<std::string> selectors = asked.gpus;
  if (selectors.empty()) selectors = fitted.fitted_on.gpus;
  if (selectors.size() != 1 && asked.gpus.empty()) {
    return usage(fmt::format("--gpu ID is needed: the fitted model '{}' is for {}", one_line(fitted.name),
                             selectors.empty() ? "no GPU that it names" : names_in(selectors)));
  }
  return gpus_of_option(selectors);
}

Result<DType> precision_of(const FittedModel& fitted, const PredictionArguments& asked) {
  if (asked.precision) return *asked.precision;
  const std::vector<std::string>& known = fitted.fitted_on.precisions;
  if (known.size() > 1) {
    return usage(
        fmt::format("--precision is needed: the fitted model '{}' is for {}", one_line(fitted.name), names_in(known)));
  }
  const auto only = known.empty() ? std::nullopt : parse_dtype(known.front());
  return only.value_or(DType::fp32);
}

// One prediction a GPU, by `predict_one`.
template <class Prediction, class PredictOne>
Result<std::vector<Prediction>> predict_each(const FittedModel& fitted, const Workload& workload, const Asked& asked,
                                             PredictOne predict_one) {
  const auto gpus = TRY(gpus_of(fitted, asked.prediction));
  const auto precision = TRY(precision_of(fitted, asked.prediction));
  std::vector<Prediction> predictions;
  for (const Gpu& gpu : gpus) {
    AskedRun run;
    run.workload = &workload;
    run.gpu = &gpu;
    run.gpus = asked.run.gpus;
    run.batch_size = asked.prediction.batch_size;
    run.precision = precision;
    run.phase = asked.prediction.phase.value_or(Phase::fwd);
    run.iterations = asked.run.iterations;
    run.cells = asked.run.columns;
    auto prediction = TRY(predict_one(fitted, run));
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

Result<void> by_network(const FittedModel& fitted, const Workload& workload, const Asked& asked) {
  const auto predictions = TRY(predict_each<NetworkPrediction>(fitted, workload, asked, predict_network));
  return write_report(asked.output, kNetworkWriters, predictions);
}

Result<void> by_grey_box(const FittedModel& fitted, const Workload& workload, const Asked& asked) {
  const auto predictions = TRY(predict_each<GreyBoxPrediction>(fitted, workload, asked, predict_by_grey_box));
  return write_report(asked.output, kGreyBoxWriters, {predictions, asked.all_layers});
}

// Several GPUs are for models of whole runs, columns of tables not for per-layer ones.
Result<void> check_kind(const FittedModel& fitted, const FittedRun& run) {
  const auto of_kind = [&] {
    return fmt::format("'{}' is of kind '{}'", one_line(fitted.name), one_line(fitted.kind));
  };
  if (run.gpus > 1 && fitted.kind != kNetworkKind) {
    return usage(fmt::format("--set: gpus is for models of 'fit network'; {}", of_kind()));
  }
  if (!run.columns.empty() && fitted.kind != kNetworkKind && fitted.kind != kGreyBoxKind) {
    return usage(fmt::format("--set: {} is for models of 'fit network' and 'fit grey-box'; {}",
                             one_line(run.columns.begin()->first), of_kind()));
  }
  return {};
}

// The network with the share of the batch that one GPU has.
Result<Workload> load_share(const Asked& asked) {
  ModelOptions options = model_options(asked.prediction);
  if (options.batch_size) {
    if (*options.batch_size % asked.run.gpus != 0) {
      return usage(fmt::format("--batch-size: {} does not split over {} GPUs", *options.batch_size, asked.run.gpus));
    }
    *options.batch_size /= asked.run.gpus;
  }
  return load_model(asked.model, options);
}

}  // namespace

Result<void> predict_fitted(const PredictArguments& arguments) {
  if (arguments.output.format == Format::html) return usage("a fitted model writes a table, json or csv");
  if (arguments.models.size() > 1) return usage("a fitted model predicts one MODEL at a time");
  if (!arguments.save.empty()) return usage("--save cannot be used with a fitted model");
  const auto fitted = TRY(fitted_of_option(arguments.prediction.method.fitted));
  const Asked asked = {.model = arguments.models.front(),
                       .prediction = arguments.prediction,
                       .run = TRY(fitted_run(arguments.prediction.set)),
                       .output = arguments.output,
                       .all_layers = arguments.all_layers};
  TRY(check_kind(fitted, asked.run));
  const auto workload = TRY(load_share(asked));
  if (fitted.kind == kNetworkKind) return by_network(fitted, workload, asked);
  if (fitted.kind == kGreyBoxKind) return by_grey_box(fitted, workload, asked);
  return by_layers(fitted, workload, asked);
}

}  // namespace rooftile::cli
