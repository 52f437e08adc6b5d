#include "rooftile/cli/predict_command.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/headroom_option.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/largest_batch.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/script.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/ingest/folded_batch_norm.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

struct Predicted {
  std::span<const Prediction> predictions;
  std::span<const Gpu> gpus;                             // of each
  std::span<const std::optional<std::int64_t>> fitting;  // of each, the largest batch that fits where it does not
  bool all_layers = false;
};

// One below the other.
std::string tables(const Predicted& of, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < of.predictions.size(); ++i) {
    if (!text.empty()) text += '\n';
    text += table_report(of.predictions[i],
                         {.all_layers = of.all_layers, .gpu = &of.gpus[i], .fitting_batch = of.fitting[i]}, width);
  }
  return text;
}

// One line on standard error where what would train is not what the file has.
void note_folded_batch_norms(const Workload& workload, Phase phase) {
  if (phase != Phase::fwd && has_folded_batch_norms(workload)) {
    write_error(
        fmt::format("{}: its batch norms were folded into convolutions, and it cannot train so; "
                    "--set batch-norm=restored puts them back",
                    workload.name));
  }
}

constexpr Writers<const Predicted&> kPredictionWriters = {
    {Format::table, tables},
    {Format::json, [](const Predicted& of) { return json_report(of.predictions, of.gpus); }},
    {Format::csv, [](const Predicted& of) { return csv_report(of.predictions); }},
    {Format::html, [](const Predicted& of) { return prediction_page(of.predictions, of.gpus); }}};

// --require-fit: the first that does not.
Result<void> check_fit(std::span<const Prediction> predictions, std::span<const Gpu> gpus) {
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const MemoryUse& memory = predictions[i].memory;
    if (fits(memory, gpus[i])) continue;
    return fail(ErrorCode::unsupported,
                fmt::format("does not fit {}: {}", gpus[i].id, used_of(memory.total(), capacity_of(gpus[i]))),
                predictions[i].model);
  }
  return {};
}

// The batch that would fit where this one does not, of a model that can be read again with another one.
std::optional<std::int64_t> what_would_fit(const std::string& model, const PredictionArguments& given,
                                           const PredictOptions& options, Phase phase, const Gpu& gpu,
                                           const Prediction& prediction) {
  if (fits(prediction.memory, gpu) || prediction.batch_size == 1 || model == "-" || is_script(model)) return {};
  const auto largest = largest_batch_of(model, model_options(given), options, phase, gpu);
  return largest ? std::optional(*largest) : std::nullopt;
}

// Options that would change nothing.
Result<void> check_idle(const PredictArguments& arguments) {
  TRY(check_no_report("--save", arguments.save, ".db"));
  if (arguments.headroom > 0 && !arguments.prediction.largest_batch) {
    return usage("--memory-headroom is for --batch-size max");
  }
  return check_all_layers(arguments.all_layers, arguments.output);
}

Result<void> run(PredictArguments& arguments) {
  PredictionArguments& given = arguments.prediction;
  TRY(check_idle(arguments));
  TRY(complete(given));
  if (!given.method.fitted.empty()) return predict_fitted(arguments);
  if (given.gpus.empty()) return usage("predict needs --gpu ID; 'rooftile gpus list' lists them");
  const PredictOptions options = predict_options(given);
  TRY(check(options));
  const auto gpus = TRY(gpus_of_option(given.gpus));
  std::vector<Prediction> predictions;
  std::vector<Gpu> predicted_on;
  std::vector<std::optional<std::int64_t>> fitting;
  std::vector<std::string> ids;
  for (const std::string& model : arguments.models) {
    PredictOptions own = options;
    auto workload = TRY(load_network(model, given, own));
    const Phase phase = phase_of(given, workload);
    note_folded_batch_norms(workload, phase);
    for (const Gpu& gpu : gpus) {
      if (given.largest_batch) {
        auto largest = TRY(load_largest_batch(model, model_options(given), own, phase, gpu, arguments.headroom));
        largest.notes = std::move(workload.notes);
        workload = std::move(largest);
      }
      ids.push_back(gpu.id);
      predicted_on.push_back(gpu);
      predictions.push_back(TRY(predict(workload, gpu, own, phase)));
      const bool shown = arguments.output.format == Format::table;
      fitting.push_back(shown ? what_would_fit(model, given, own, phase, gpu, predictions.back()) : std::nullopt);
    }
  }
  note_unused_factors(options.calibration, ids);
  if (!arguments.save.empty()) {
    TRY(save_predictions(arguments.save == "own" ? "" : arguments.save, predictions, given.method.constants));
  }
  TRY(write_report(arguments.output, kPredictionWriters, {predictions, predicted_on, fitting, arguments.all_layers}));
  return arguments.require_fit ? check_fit(predictions, predicted_on) : Result<void>{};
}

// The networks, and what decides their times; returns --gpu.
CLI::Option* add_networks(CLI::App* app, PredictArguments& arguments, Fitted fitted, Batch batch) {
  add_texts(
      app, "MODEL", arguments.models, "MODEL",
      "an .onnx file, a workload .json, a transformer's .toml, a PyTorch script .py, a name from 'rooftile models "
      "list', or - (standard input)")
      ->required();
  CLI::Option* gpus = add_gpus(app, arguments.prediction.gpus)->group("Prediction");
  add_prediction_options(app, arguments.prediction, fitted, batch);
  return gpus;
}

}  // namespace

void add_page(CommandList& commands) {
  auto [app, arguments] =
      commands.add<PredictArguments>("page", "Write a prediction as an HTML page, as 'predict' with -o FILE.html does",
                                     "rooftile page resnet50 --gpu v100-sxm2-16gb -b 64 -o resnet50.html", run);
  add_networks(app, arguments, Fitted::no, Batch::number)->required();
  arguments.output.format = Format::html;
  add_file(app, "-o,--output", arguments.output.file, {Format::html});
}

void add_predict(CommandList& commands) {
  auto [app, arguments] =
      commands.add<PredictArguments>("predict", "Predict a network's time on a GPU, and what limits it",
                                     "rooftile predict resnet50.onnx --gpu titan-xp,t4 -b 64 -o resnet50.json", run);
  add_networks(app, arguments, Fitted::yes, Batch::number_or_max);
  add_rare(app, {add_headroom(app, arguments.headroom)});
  app->add_flag("--all", arguments.all_layers, "list every layer in the table, not the ten slowest")->group("Output");
  app->add_flag("--require-fit", arguments.require_fit,
                "exit with status 1 where the network does not fit the GPU's memory")
      ->group("Output");
  app->add_flag("--save{own}", arguments.save, "also save the prediction to your store; --save=FILE: to that store")
      ->group("Output");
  add_output_options(app, arguments.output, kPredictionWriters);
}

}  // namespace rooftile::cli
