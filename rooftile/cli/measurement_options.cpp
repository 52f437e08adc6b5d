// The options of the commands that set predictions beside measurements: validate, fit and evaluate.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/store_input.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/error/nearest.hpp"

namespace rooftile::cli {
namespace {

struct TypedEvaluate {
  std::string output, only;
  TypedPrediction prediction;
};

Result<void> run_evaluate(const TypedEvaluate& typed) {
  EvaluateArguments arguments;
  if (typed.output.empty() || typed.output == "-") return usage("evaluate needs -o FOLDER");
  arguments.folder = typed.output;
  const auto prediction = prediction_arguments(typed.prediction);
  if (!prediction) return tl::unexpected(prediction.error());
  if (!prediction->gpus.empty()) arguments.gpus = prediction->gpus;
  if (prediction->batch_size) arguments.batch_size = *prediction->batch_size;
  if (!typed.only.empty()) {
    auto only = parse_list("--only", typed.only);
    if (!only) return tl::unexpected(only.error());
    arguments.only = std::move(*only);
  }
  return evaluate(arguments);
}

// Options that only one model takes.
Result<void> check_fit_options(const FitModelArguments& typed) {
  struct Only {
    const char* option;
    const std::string* value;
    const char* model;
  };
  for (const Only& only :
       {Only{"--points", &typed.points, "calibration"}, Only{"--draws", &typed.draws, "calibration"},
        Only{"--tier", &typed.tier, "calibration"}, Only{"--by", &typed.by, "layers"},
        Only{"--test", &typed.test, "layers"}, Only{"--fitted", &typed.fitted, "layers"},
        Only{"--plot", &typed.plot, "layers"}, Only{"--extrapolate", &typed.extrapolate, "grey-box"}}) {
    if (!only.value->empty() && typed.model != only.model) {
      return usage(fmt::format("{} is of --model {}", only.option, only.model));
    }
  }
  if (typed.unknown_harness && typed.model != "calibration")
    return usage("--unknown-harness is of --model calibration");
  if (typed.compare && typed.model != "grey-box") return usage("--compare is of --model grey-box");
  if (!typed.extrapolate.empty() && !typed.compare) return usage("--extrapolate is of --compare");
  if (!typed.gpu.empty() && typed.model != "calibration" && typed.model != "layers") {
    return usage("--gpu is of --model calibration and layers");
  }
  return {};
}

Result<void> run_fit(const FitModelArguments& typed) {
  if (typed.tables.empty()) return usage("fit needs a TABLE.csv, or several, or --stored");
  if (auto fits = check_fit_options(typed); !fits) return fits;
  if (typed.model == "calibration") return fit_calibration(typed);
  if (typed.model == "layers") return fit_layers(typed);
  if (typed.model == "grey-box") return fit_grey_box(typed);
  if (typed.model.empty() || typed.model == "constants") return fit(typed);
  const std::vector<std::string> known = {"constants", "calibration", "layers", "grey-box"};
  return usage(fmt::format("--model: unknown model '{}', known are {}{}", typed.model, fmt::join(known, ", "),
                           did_you_mean(typed.model, known)));
}

}  // namespace

void add_validate(CommandList& commands) {
  const auto typed = std::make_shared<ValidateArguments>();
  CLI::App* command =
      commands.add("validate", "Compare predictions with measurements, row by row of some tables",
                   "rooftile validate measured.csv --by gpu,pass --method delta,roofline --plot scatter.svg",
                   [typed]() -> Result<void> {
                     if (typed->tables.empty()) return usage("validate needs a TABLE.csv, or several, or --stored");
                     return cli::validate(*typed);
                   });
  command->add_option("TABLE", typed->tables, "layer tables with measurements (CSV), or stores");
  add_store_input(command, typed->tables);
  command->add_option("--by", typed->by, "columns that make the groups, as in gpu,pass");
  command->add_option("--method", typed->method, "methods side by side, as in delta,roofline,prior=0.5");
  command->add_option("--where", typed->where, "only these rows, as in \"gpu = t4 and K >= 64\"");
  command->add_option("--ignore", typed->ignore, "columns to hide from the predictor, as in algorithm,framework");
  command->add_option("--quantity", typed->quantity, "what is compared: time, l1, l2, dram or launches");
  command->add_flag("--flagged", typed->flagged, "score flagged rows too");
  command->add_flag("--bias-kernel", typed->bias_kernel, "the counters also cover a kernel that adds a bias");
  command->add_option("--gpu", typed->gpu, "GPU of rows that name none");
  command->add_option("--precision", typed->precision, "precision of rows that name none (default: fp32)");
  command->add_flag("--override", typed->override_cells, "--gpu and --precision win over the row's own");
  command->add_flag("--skip-bad-rows", typed->skip_bad_rows, "leave out rows that are wrong, and list them");
  command->add_option("--format", typed->format, "table, json or csv (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->output, "write to this file");
  command->add_option("--calibration", typed->calibration,
                      "constants of method rooftile from this file, not those of the program");
  command->add_flag("--choice", typed->choice, "score how method rooftile chooses algorithm and tile instead");
  command->add_option("--tier", typed->tier,
                      "constants of method rooftile fitted without the row: own (on other shapes of its GPU too) or "
                      "none (its GPU left out)");
  command->add_option("--rows", typed->rows, "also write the rows behind the figures to this CSV");
  command->add_option("--plot", typed->plot, "also draw predicted over measured into this SVG");
}

void add_fit(CommandList& commands) {
  const auto typed = std::make_shared<FitModelArguments>();
  CLI::App* command = commands.add("fit", "Fit the constants of method rooftile to measurements",
                                   "rooftile fit measured.csv --where \"gpu = t4\" -o t4.toml",
                                   [typed]() -> Result<void> { return run_fit(*typed); });
  command->add_option("TABLE", typed->tables, "layer tables with measurements (CSV), or stores");
  add_store_input(command, typed->tables);
  command->add_option(
      "--model", typed->model,
      "what is fitted: constants (default), calibration: factors of one GPU from 5 rows or more, layers: a "
      "line of time over operations for each category of layers, or grey-box: what method rooftile says times a "
      "correction");
  command->add_option("--gpu", typed->gpu,
                      "of calibration: the GPU that was measured; of layers too: that of rows that name none");
  command->add_option("--points", typed->points,
                      "of calibration: try it with so many rows drawn at random, as in 5,20, and score the others");
  command->add_option("--draws", typed->draws, "of --points: draws of each (default: 50)");
  command->add_option(
      "--tier", typed->tier,
      "of --points: constants and prior fitted without the GPU (none, default) or as they are (shipped)");
  command->add_option("--by", typed->by,
                      "of layers: a model of each value of this column, judged on all the others, as in model");
  command->add_option("--test", typed->test, "of layers: rows to hold out and judge on, as in \"model = AlexNet\"");
  command->add_option("--fitted", typed->fitted, "of layers: fit nothing, but judge this fitted model on the rows");
  command->add_option("--plot", typed->plot, "of layers: also draw fitted over measured times into this SVG");
  command->add_flag("--compare", typed->compare,
                    "of grey-box: judge it beside other models on rows, and on GPUs, that were held out");
  command->add_option("--extrapolate", typed->extrapolate,
                      "of --compare: also hold out the rows beyond this, as in \"batch > 32\"");
  command->add_flag("--unknown-harness", typed->unknown_harness,
                    "of --points: nothing is known of what the rows' frameworks add to a call");
  command->add_option("--where", typed->where, "only these rows, as in \"gpu = t4 and K >= 64\"");
  command->add_option("--ignore", typed->ignore, "columns to hide from the plan, as in algorithm,kernel");
  command->add_option("--date", typed->date, "of the fit, to be written beside it");
  command->add_flag("--skip-bad-rows", typed->skip_bad_rows, "leave out rows that are wrong");
  command->add_option(
      "-o,--output", typed->output,
      "write the calibration (TOML) to this file, for --calibration; of layers and grey-box the model (JSON), for "
      "--fitted");
}

void add_evaluate(CommandList& commands) {
  const auto typed = std::make_shared<TypedEvaluate>();
  CLI::App* command = commands.add("evaluate", "Make the tables and figures of the DeLTA paper, as CSV and SVG",
                                   "rooftile evaluate -o evaluation", [typed] { return run_evaluate(*typed); });
  command->add_option("-o,--output", typed->output, "write into this folder; it is made if it is not there");
  command->add_option("--gpu", typed->prediction.gpu,
                      "ids with commas, or .toml files (default: titan-xp-delta,p100-delta,v100-delta)");
  command->add_option("-b,--batch-size", typed->prediction.batch_size,
                      "samples a batch (default: 256, as in the paper)");
  command->add_option("--only", typed->only,
                      "only these, with commas: table1, fig4, fig11, fig12, fig13 (with 14 "
                      "and 19), fig15, table16 (with fig16), fig17, fig20");
}

}  // namespace rooftile::cli
