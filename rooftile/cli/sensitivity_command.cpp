// rooftile sensitivity: what each resource of a GPU is worth to a network.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
  PredictionArguments prediction;
  bool all_layers = false;
  OutputArguments output;
};

std::string report(std::span<const Sensitivity> studies, const SensitivityArguments& arguments) {
  if (arguments.output.format == Format::json) return sensitivity_json(studies);
  if (arguments.output.format == Format::csv) return sensitivity_csv(studies);
  std::string text;
  for (const Sensitivity& study : studies) {
    if (!text.empty()) text += "\n";
    text += sensitivity_table(study, {.all_layers = arguments.all_layers}, page_width(arguments.output.file));
  }
  return text;
}

Result<void> run(SensitivityArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(complete(given));
  const auto gpus = TRY(gpus_of_option(given.gpus));
  const PredictOptions options = predict_options(given);
  TRY(check(options));
  const auto workload = TRY(load_model(arguments.model, model_options(given)));
  std::vector<Sensitivity> studies;
  for (const Gpu& gpu : gpus) {
    std::optional<Progress> bar(std::in_place, "resources");
    auto study = sensitivity(workload, gpu, options, given.phase,
                             [&](std::size_t done, std::size_t all) { bar->show(done, all); });
    bar.reset();
    if (!study) return tl::unexpected(study.error());
    studies.push_back(std::move(*study));
  }
  return write_output(arguments.output.file, report(studies, arguments));
}

}  // namespace

void add_sensitivity(CommandList& commands) {
  auto [app, arguments] = commands.add<SensitivityArguments>(
      "sensitivity", "Show how each resource of a GPU affects a network's time, and where it stops helping",
      "rooftile sensitivity resnet152 --gpu titan-xp --batch-size 256", run);
  add_model(app, arguments.model)->required();
  add_gpus(app, arguments.prediction.gpus)->required()->group("Prediction");
  add_prediction_options(app, arguments.prediction);
  app->add_flag("--all", arguments.all_layers, "list every layer in the table, not the ten slowest")->group("Output");
  add_output_options(app, arguments.output, {Format::table, Format::json, Format::csv});
}

}  // namespace rooftile::cli
