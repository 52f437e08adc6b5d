// The options of predict.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/fitted_commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedPredict {
  std::string model, layers, fitted, gpus, iterations, columns, format, output, db;
  TypedPrediction prediction;
  bool all = false, override_cells = false, skip_bad_rows = false, save = false;
};

// What is for a MODEL alone, and what is written, whatever predicts the rows.
Result<void> check_layers(const TypedPredict& typed, const PredictionArguments& prediction) {
  if (!typed.model.empty()) return usage("give either a MODEL or --layers TABLE.csv, not both");
  if (prediction.gpus.size() > 1) return usage("--layers takes one GPU; rows may name others");
  TRY(parse_format(typed.format, typed.output, {Format::csv}));
  if (!typed.prediction.batch_size.empty() || typed.all || typed.prediction.skip_unsupported) {
    return usage("--batch-size, --all and --skip-unsupported are for a MODEL, not for --layers");
  }
  return {};
}

// What decides an analytic prediction has no part in one by a fitted model.
Result<void> run_fitted(const TypedPredict& typed, const PredictionArguments& prediction) {
  const TypedPrediction defaults;
  struct Other {
    const char* option;
    bool given;
  };
  for (const Other& other :
       {Other{"--save", typed.save}, Other{"--override", typed.override_cells},
        Other{"--skip-bad-rows", typed.skip_bad_rows && typed.layers.empty()},
        Other{"--method", typed.prediction.method != defaults.method}, Other{"--tile", !typed.prediction.tile.empty()},
        Other{"--active-ctas", !typed.prediction.active_ctas.empty()},
        Other{"--algorithm", !typed.prediction.algorithm.empty()},
        Other{"--framework", !typed.prediction.framework.empty()},
        Other{"--calibration", !typed.prediction.calibration.empty()}}) {
    if (other.given) return usage(fmt::format("{} does not go with --fitted", other.option));
  }
  if (!typed.layers.empty()) {
    if (!typed.gpus.empty() || !typed.iterations.empty() || !typed.columns.empty()) {
      return usage("--gpus, --iterations and --column are for a MODEL; rows say so themselves");
    }
    if (auto fits = check_layers(typed, prediction); !fits) return fits;
    return predict_layers_fitted({.table = typed.layers,
                                  .fitted = typed.fitted,
                                  .db = typed.db,
                                  .gpu = prediction.gpus.empty() ? std::string() : prediction.gpus.front(),
                                  .precision = prediction.precision ? std::string(name_of(*prediction.precision)) : "",
                                  .skip_bad_rows = typed.skip_bad_rows,
                                  .output = typed.output});
  }
  if (typed.model.empty()) {
    return usage("--fitted needs a MODEL (a file or a name of 'rooftile models') or --layers TABLE.csv");
  }
  const auto format =
      TRY(parse_format(typed.format, typed.output, {Format::table, Format::json, Format::csv, Format::html}));
  constexpr std::int64_t kMostGpus = 1 << 20, kMostIterations = std::int64_t{1} << 53;
  int gpus = 1;
  if (!typed.gpus.empty()) {
    const auto count = TRY(parse_count("--gpus", typed.gpus, kMostGpus));
    gpus = static_cast<int>(count);
  }
  std::optional<std::int64_t> iterations;
  if (!typed.iterations.empty()) {
    const auto count = TRY(parse_count("--iterations", typed.iterations, kMostIterations));
    iterations = count;
  }
  auto columns = TRY(parse_columns("--column", typed.columns));
  return predict_fitted({.model = typed.model,
                         .fitted = typed.fitted,
                         .db = typed.db,
                         .prediction = prediction,
                         .gpus = gpus,
                         .iterations = iterations,
                         .columns = std::move(columns),
                         .format = format,
                         .all_layers = typed.all,
                         .output = typed.output});
}

Result<void> run_predict(const TypedPredict& typed) {
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  if (!typed.db.empty() && !typed.save && typed.fitted.empty()) return usage("--db is for --save and --fitted");
  if (!typed.fitted.empty()) return run_fitted(typed, prediction);
  if (!typed.gpus.empty() || !typed.iterations.empty() || !typed.columns.empty()) {
    return usage("--gpus, --iterations and --column are for --fitted");
  }
  if (!typed.layers.empty()) {
    if (typed.save) return usage("--save is for a MODEL, not for --layers");
    if (auto fits = check_layers(typed, prediction); !fits) return fits;
    return predict_layers({.table = typed.layers,
                           .prediction = prediction,
                           .override_cells = typed.override_cells,
                           .skip_bad_rows = typed.skip_bad_rows,
                           .output = typed.output});
  }
  if (typed.override_cells || typed.skip_bad_rows) return usage("--override and --skip-bad-rows are for --layers");
  if (typed.model.empty())
    return usage("predict needs a MODEL (a file or a name of 'rooftile models') or --layers TABLE.csv");
  if (prediction.gpus.empty()) return usage("predict needs --gpu ID; 'rooftile gpus' lists them");
  const auto format =
      TRY(parse_format(typed.format, typed.output, {Format::table, Format::json, Format::csv, Format::html}));
  return predict_model({.model = typed.model,
                        .prediction = prediction,
                        .format = format,
                        .all_layers = typed.all,
                        .output = typed.output,
                        .save = typed.save,
                        .db = typed.db,
                        .calibration = typed.prediction.calibration});
}

}  // namespace

void add_predict(CommandList& commands) {
  const auto typed = std::make_shared<TypedPredict>();
  CLI::App* command =
      commands.add("predict", "Predict a network's time on a GPU, or each row of a layer table",
                   "rooftile predict resnet50.onnx --gpu titan-xp,v100-sxm2-16gb --batch-size 64 -o r50.json",
                   [typed] { return run_predict(*typed); });
  command->add_option("MODEL", typed->model,
                      "an .onnx file, a workload .json, a name of 'rooftile models', or - (standard input)");
  add_prediction_options(command, typed->prediction,
                         "catalogue id, an unambiguous part of one, or a .toml file; several with commas");
  command->add_option(
      "--pass", typed->prediction.pass,
      "inference (fwd), training (step: forward, gradients, update), or bwd, fwd_bwd, bwd_data, bwd_weight");
  command->add_option("--format", typed->format, "table, json, csv or html (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->output, "write to this file");
  command->add_flag("--all", typed->all, "list every layer, not the ten slowest");
  command->add_option(
      "--fitted", typed->fitted,
      "predict by this fitted model: gianniti-m6000, one of the store, or a file of 'fit --model layers -o', 'network' "
      "or 'grey-box'; with --layers one of 'fit --model grey-box -o'");
  command->add_option("--gpus", typed->gpus, "with --fitted: so many GPUs share the batch (default: 1)");
  command->add_option("--iterations", typed->iterations, "with --fitted: the time of so many, too");
  command->add_option(
      "--column", typed->columns,
      "with --fitted: what the tables of the fit say besides, as in framework=PyTorch,threads=8 or model=NAME");
  command->add_flag("--save", typed->save, "keep the prediction in the store, too");
  command->add_option(
      "--db", typed->db,
      "with --save and --fitted: the store's file (default: rooftile/rooftile.db in the user's data directory)");
  command->add_option("--layers", typed->layers, "predict each row of this CSV instead of a MODEL");
  command->add_flag("--override", typed->override_cells, "with --layers: --gpu and --precision win over the row's own");
  command->add_flag("--skip-bad-rows", typed->skip_bad_rows,
                    "with --layers: leave out rows that are wrong, and list them");
}

}  // namespace rooftile::cli
