// rooftile sensitivity: what each resource of a GPU is worth to a network.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
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

struct Studies {
  std::span<const Sensitivity> studies;  // one a GPU
  bool all_layers = false;
};

// One below the other.
std::string tables(const Studies& of, std::size_t width) {
  std::string text;
  for (const Sensitivity& study : of.studies) {
    text += (text.empty() ? "" : "\n") + sensitivity_table(study, {.all_layers = of.all_layers}, width);
  }
  return text;
}

constexpr Writers<const Studies&> kSensitivityWriters = {
    {Format::table, tables},
    {Format::json, [](const Studies& of) { return sensitivity_json(of.studies); }},
    {Format::csv, [](const Studies& of) { return sensitivity_csv(of.studies); }}};

Result<void> run(SensitivityArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(check_all_layers(arguments.all_layers, arguments.output));
  TRY(check_no_host(given.set, "sensitivity"));
  TRY(complete(given));
  const auto gpus = TRY(gpus_of_option(given.gpus));
  PredictOptions options = predict_options(given);
  TRY(check(options));
  const auto workload = TRY(load_network(arguments.model, given, options));
  write_notes(workload);
  std::vector<Sensitivity> studies;
  for (const Gpu& gpu : gpus) {
    Progress bar("resources");
    studies.push_back(TRY(sensitivity(workload, gpu, options, phase_of(given, workload),
                                      [&](std::size_t done, std::size_t all) { bar.show(done, all); })));
  }
  return write_report(arguments.output, kSensitivityWriters, {studies, arguments.all_layers});
}

}  // namespace

void add_sensitivity(CommandList& commands) {
  auto [app, arguments] = commands.add<SensitivityArguments>(
      "sensitivity", "Show how each resource of a GPU affects a network's time, and how far",
      "rooftile sensitivity resnet152 --gpu titan-xp --batch-size 256", run);
  add_model(app, arguments.model)->required();
  add_gpus(app, arguments.prediction.gpus)->required()->group("Prediction");
  add_prediction_options(app, arguments.prediction);
  app->add_flag("--all", arguments.all_layers, "list every layer in the table, not the ten slowest")->group("Output");
  add_output_options(app, arguments.output, kSensitivityWriters);
}

}  // namespace rooftile::cli
