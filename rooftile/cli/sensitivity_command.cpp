// rooftile sensitivity: what each resource of a GPU is worth to a network.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/explore/sensitivity.hpp"
#include "rooftile/report/sensitivity.hpp"

namespace rooftile::cli {
namespace {

struct SensitivityArguments {
  std::string model;
  PredictionArguments prediction;  // one GPU
  bool all_layers = false;
  OutputArguments output;
};

Result<void> run(SensitivityArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(complete(given));
  const auto gpu = TRY(gpu_of_option(given.gpus.front()));
  const PredictOptions options = predict_options(given);
  TRY(check(options));
  const auto workload = TRY(load_model(arguments.model, model_options(given)));
  std::optional<Progress> bar(std::in_place, "resources");
  const auto study = sensitivity(workload, gpu, options, given.phase,
                                 [&](std::size_t done, std::size_t all) { bar->show(done, all); });
  bar.reset();
  if (!study) return tl::unexpected(study.error());
  switch (arguments.output.format) {
    case Format::json:
      return write_output(arguments.output.file, sensitivity_json(*study));
    case Format::csv:
      return write_output(arguments.output.file, sensitivity_csv(*study));
    default:
      return write_output(arguments.output.file, sensitivity_table(*study, {.all_layers = arguments.all_layers},
                                                                   page_width(arguments.output.file)));
  }
}

}  // namespace

void add_sensitivity(CommandList& commands) {
  auto [app, arguments] = commands.add<SensitivityArguments>(
      "sensitivity", "Show how each resource of a GPU affects a network's time, and where it stops helping",
      "rooftile sensitivity resnet152 --gpu titan-xp --batch-size 256", run);
  add_model(app, arguments.model)->required();
  add_gpu(app, arguments.prediction.gpus)->required()->group("Prediction");
  add_prediction_options(app, arguments.prediction);
  app->add_flag("--all", arguments.all_layers, "list every layer in the table, not the ten slowest")->group("Output");
  add_output_options(app, arguments.output, {Format::table, Format::json, Format::csv});
}

}  // namespace rooftile::cli
