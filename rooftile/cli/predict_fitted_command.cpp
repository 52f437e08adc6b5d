// rooftile predict MODEL --fitted NAME: a network by a fitted model.
#include <fmt/format.h>

#include "rooftile/cli/fitted_commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/learn/layer_prediction.hpp"
#include "rooftile/report/layers.hpp"

namespace rooftile::cli {
namespace {

// What the user asked for is what the model is of.
Result<void> check_asked(const PredictionArguments& asked, const LayersPrediction& prediction) {
  for (const std::string& selector : asked.gpus) {
    const auto gpu = gpu_of_option(selector);
    if (!gpu) return tl::unexpected(gpu.error());
    if (gpu->id != prediction.gpu) {
      return usage(
          fmt::format("--gpu: the fitted model '{}' is of {}, not of {}", prediction.fitted, prediction.gpu, gpu->id));
    }
  }
  if (asked.precision && *asked.precision != prediction.precision) {
    return usage(fmt::format("--precision: the fitted model '{}' is of {}, not of {}", prediction.fitted,
                             name_of(prediction.precision), name_of(*asked.precision)));
  }
  return {};
}

std::string report(const LayersPrediction& prediction, const PredictFittedArguments& arguments) {
  switch (arguments.format) {
    case Format::json:
      return layers_json(prediction);
    case Format::csv:
      return layers_csv(prediction);
    case Format::html:
    case Format::table:
      break;
  }
  return layers_table(prediction, arguments.all_layers);
}

}  // namespace

Result<void> predict_fitted(const PredictFittedArguments& arguments) {
  if (arguments.format == Format::html) return usage("--fitted writes a table, json or csv");
  const auto fitted = fitted_of_option(arguments.fitted, arguments.db);
  if (!fitted) return tl::unexpected(fitted.error());
  const auto workload = load_model(arguments.model, model_options(arguments.prediction));
  if (!workload) return tl::unexpected(workload.error());
  const auto prediction = predict_by_layers(*fitted, *workload, arguments.prediction.phase);
  if (!prediction) return tl::unexpected(prediction.error());
  if (auto fits = check_asked(arguments.prediction, *prediction); !fits) return fits;
  return write_output(arguments.output, report(*prediction, arguments));
}

}  // namespace rooftile::cli
