// rooftile predict MODEL.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

std::string report(std::span<const Prediction> predictions, std::span<const Gpu> gpus,
                   const PredictArguments& arguments) {
  switch (arguments.format) {
    case Format::json:
      return json_report(predictions);
    case Format::csv:
      return csv_report(predictions);
    case Format::html:
      return prediction_page(predictions, gpus);
    default:
      break;
  }
  std::string text;
  for (const Prediction& prediction : predictions) {
    if (!text.empty()) text += '\n';
    text += table_report(prediction, {.all_layers = arguments.all_layers});
  }
  return text;
}

}  // namespace

PredictOptions predict_options(const PredictionArguments& arguments) {
  PredictOptions options;
  options.method = arguments.method;
  options.prior_miss_rate = arguments.prior_miss_rate;
  options.precision = arguments.precision.value_or(DType::fp32);
  options.plan = arguments.plan;
  options.framework = arguments.framework;
  options.calibration = arguments.calibration.get();
  return options;
}

ModelOptions model_options(const PredictionArguments& arguments) {
  return {
      .batch_size = arguments.batch_size, .seq_len = arguments.seq_len, .skip_unsupported = arguments.skip_unsupported};
}

Result<std::shared_ptr<const Calibration>> calibration_of_option(const std::string& path) {
  if (path.empty()) return std::shared_ptr<const Calibration>();
  const auto text = TRY(read_text_file(path));
  auto calibration = TRY(parse_calibration(text, path));
  return std::make_shared<const Calibration>(completed(std::move(calibration)));
}

Result<Gpu> gpu_of_option(const std::string& selector) {
  auto gpu = find_gpu(selector);
  if (!gpu && gpu.error().where.empty()) gpu.error().where = "--gpu";
  return gpu;
}

Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors) {
  std::vector<Gpu> gpus;
  for (const std::string& selector : selectors) {
    auto gpu = TRY(gpu_of_option(selector));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Result<void> predict_model(const PredictArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  const PredictOptions options = predict_options(given);
  if (auto result = check(options); !result) return result;
  const auto gpus = TRY(gpus_of_option(given.gpus));
  const auto workload = TRY(load_model(arguments.model, model_options(given)));
  std::vector<Prediction> predictions;
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus) {
    ids.push_back(gpu.id);
    auto prediction = TRY(predict(workload, gpu, options, given.phase));
    predictions.push_back(std::move(prediction));
  }
  note_unused_factors(options.calibration, ids);
  if (arguments.save) {
    if (auto saved = save_predictions(arguments.db, predictions, arguments.calibration); !saved) return saved;
  }
  return write_output(arguments.output, report(predictions, gpus, arguments));
}

}  // namespace rooftile::cli
