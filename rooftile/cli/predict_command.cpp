#include "rooftile/cli/predict_command.hpp"

#include <span>
#include <string>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

std::string report(std::span<const Prediction> predictions, std::span<const Gpu> gpus,
                   const PredictArguments& arguments) {
  switch (arguments.output.format) {
    case Format::json:
      return json_report(predictions, gpus);
    case Format::csv:
      return csv_report(predictions);
    case Format::html:
      return prediction_page(predictions, gpus);
    default:
      break;
  }
  std::string text;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!text.empty()) text += '\n';
    text += table_report(predictions[i], {.all_layers = arguments.all_layers, .gpu = &gpus[i]},
                         page_width(arguments.output.file));
  }
  return text;
}

Result<void> run(PredictArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(complete(given));
  if (!given.method.fitted.empty()) return predict_fitted(arguments);
  if (given.gpus.empty()) return usage("predict needs --gpu ID; 'rooftile gpus list' lists them");
  const PredictOptions options = predict_options(given);
  TRY(check(options));
  const auto gpus = TRY(gpus_of_option(given.gpus));
  std::vector<Prediction> predictions;
  std::vector<Gpu> predicted_on;
  std::vector<std::string> ids;
  for (const std::string& model : arguments.models) {
    const auto workload = TRY(load_model(model, model_options(given)));
    for (const Gpu& gpu : gpus) {
      ids.push_back(gpu.id);
      predicted_on.push_back(gpu);
      predictions.push_back(TRY(predict(workload, gpu, options, given.phase)));
    }
  }
  note_unused_factors(options.calibration, ids);
  if (!arguments.save.empty()) {
    TRY(save_predictions(arguments.save == "own" ? "" : arguments.save, predictions, given.method.constants));
  }
  return write_output(arguments.output.file, report(predictions, predicted_on, arguments));
}

}  // namespace

void add_predict(CommandList& commands) {
  auto [app, arguments] = commands.add<PredictArguments>(
      "predict", "Predict a network's time on a GPU, and what limits it",
      "rooftile predict resnet50.onnx --gpu titan-xp,v100-sxm2-16gb -b 64 -o r50.json", run);
  add_texts(app, "MODEL", arguments.models, "MODEL",
            "an .onnx file, a workload .json, a name from 'rooftile models list', or - (standard input)")
      ->required();
  add_gpus(app, arguments.prediction.gpus)->group("Prediction");
  add_prediction_options(app, arguments.prediction, Fitted::yes);
  app->add_flag("--all", arguments.all_layers, "list every layer in the table, not the ten slowest")->group("Output");
  app->add_flag("--save{own}", arguments.save, "also save the prediction to your store; --save=FILE: to that store")
      ->group("Output");
  add_output_options(app, arguments.output, {Format::table, Format::json, Format::csv, Format::html});
}

}  // namespace rooftile::cli
