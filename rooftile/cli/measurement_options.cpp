// The options of the commands that set predictions beside measurements: validate, fit and evaluate.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/store_input.hpp"
#include "rooftile/cli/values.hpp"

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
    auto only = TRY(parse_list("--only", typed.only));
    arguments.only = std::move(only);
  }
  return evaluate(arguments);
}

// Options that only some models take.
Result<void> check_fit_options(const FitModelArguments& typed) {
  struct Only {
    const char* option;
    bool given;
    std::vector<std::string_view> models;
  };
  const std::vector<Only> options = {{"--points", !typed.points.empty(), {"calibration", "grey-box"}},
                                     {"--draws", !typed.draws.empty(), {"calibration", "grey-box"}},
                                     {"--tier", !typed.tier.empty(), {"calibration"}},
                                     {"--test", !typed.test.empty(), {"layers"}},
                                     {"--plot", !typed.plot.empty(), {"layers", "network", "grey-box"}},
                                     {"--residuals", !typed.residuals.empty(), {"layers", "network", "grey-box"}},
                                     {"--format", !typed.format.empty(), {"network", "grey-box"}},
                                     {"--by", !typed.by.empty(), {"layers", "network"}},
                                     {"--extrapolate", !typed.extrapolate.empty(), {"grey-box", "network"}},
                                     {"--ways", !typed.ways.empty(), {"network"}},
                                     {"--split", !typed.split.empty(), {"network"}},
                                     {"--degree", !typed.degree.empty(), {"network"}},
                                     {"--terms", !typed.terms.empty(), {"network"}},
                                     {"--features", !typed.features.empty(), {"network"}},
                                     {"--technique", !typed.technique.empty(), {"network"}},
                                     {"--details", typed.details, {"network"}},
                                     {"--flagged", typed.flagged, {"network"}}};
  for (const Only& only : options) {
    if (only.given && std::find(only.models.begin(), only.models.end(), typed.model) == only.models.end()) {
      return usage(fmt::format("{} is of --model {}", only.option, fmt::join(only.models, " and ")));
    }
  }
  if (typed.unknown_harness && typed.model != "calibration")
    return usage("--unknown-harness is of --model calibration");
  if (typed.chosen && (typed.model != "calibration" || typed.points.empty()))
    return usage("--chosen is of --model calibration --points");
  if (!typed.suggest.empty() && (typed.model != "calibration" || !typed.points.empty()))
    return usage("--suggest is of --model calibration, without --points");
  if (typed.compare && typed.model != "grey-box") return usage("--compare is of --model grey-box");
  if (!typed.extrapolate.empty() && typed.model == "grey-box" && !typed.compare)
    return usage("--extrapolate is of --compare");
  if (!typed.gpu.empty() && typed.model != "calibration" && typed.model != "layers" && typed.model != "network") {
    return usage("--gpu is of --model calibration, layers and network");
  }
  return {};
}

Result<void> run_fit(const FitModelArguments& typed) {
  if (typed.tables.empty()) return usage("fit needs a TABLE.csv, or several, or --stored");
  if (auto fits = check_fit_options(typed); !fits) return fits;
  if (typed.model == "calibration") return fit_calibration(typed);
  if (typed.model == "layers") return fit_layers(typed);
  if (typed.model == "network") return fit_network(typed);
  if (typed.model == "grey-box") return fit_grey_box(typed);
  if (typed.model.empty() || typed.model == "constants") return fit(typed);
  const std::vector<std::string> known = {"constants", "calibration", "layers", "network", "grey-box"};
  return usage(fmt::format("--model: unknown model '{}', known are {}{}", typed.model, fmt::join(known, ", "),
                           did_you_mean(typed.model, known)));
}

// Two results must not go to one place.
Result<void> check_outputs(const ValidateArguments& arguments) {
  std::set<std::string> paths = {arguments.output.empty() ? "-" : arguments.output};
  for (const std::string& path : {arguments.rows, arguments.plot}) {
    if (!path.empty() && !paths.insert(path).second) {
      return fail(ErrorCode::usage, fmt::format("two results cannot both be written to {}", path));
    }
  }
  return {};
}

Result<void> run_validate(ValidateArguments& arguments, const CLI::App& command) {
  if (arguments.tables.empty()) return usage("validate needs a TABLE.csv, or several, or --stored");
  if (auto outputs = check_outputs(arguments); !outputs) return outputs;
  if (arguments.fitted.empty()) return cli::validate(arguments);
  if (const CLI::Option* db = command.get_option("--db"); db->count() > 0) arguments.db = db->as<std::string>();
  return validate_by_fitted(arguments);
}

}  // namespace

void add_validate(CommandList& commands) {
  const auto typed = std::make_shared<ValidateArguments>();
  const auto self = std::make_shared<CLI::App*>();
  CLI::App* command =
      commands.add("validate", "Compare predictions with measurements, row by row of some tables",
                   "rooftile validate measured.csv --by gpu,pass --method delta,roofline --plot scatter.svg",
                   [typed, self] { return run_validate(*typed, **self); });
  *self = command;
  command->add_option("TABLE", typed->tables, "layer tables with measurements (CSV), or stores");
  add_store_input(command, typed->tables);
  command->add_option("--fitted", typed->fitted,
                      "instead of a method: a fitted model, built in, of the store, or a file of 'fit -o'");
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
  CLI::App* command = commands.add(
      "fit", "Fit models of times to measurements: constants, layers, networks, factors of a GPU, a grey box",
      "rooftile fit measured.csv --where \"gpu = t4\" -o t4.toml",
      [typed]() -> Result<void> { return run_fit(*typed); });
  command->add_option("TABLE", typed->tables, "layer tables with measurements (CSV), or stores");
  add_store_input(command, typed->tables);
  command->add_option(
      "--model", typed->model,
      "what is fitted: constants (default), calibration: factors of one GPU from 5 rows or more, layers: a "
      "line of time over operations for each category of layers, network: times of whole runs, or grey-box: what "
      "method rooftile says times a "
      "correction");
  command->add_option(
      "--gpu", typed->gpu,
      "of calibration: the GPU that was measured; of layers and network too: that of rows that name none");
  command->add_option("--points", typed->points,
                      "of calibration and grey-box: try it with so many rows of each GPU drawn at random, as in 5,20, "
                      "and score the others");
  command->add_option("--draws", typed->draws, "of --points: draws of each (default: 50; of grey-box 10)");
  command->add_option(
      "--tier", typed->tier,
      "of --points: constants and prior fitted without the GPU (none, default) or as they are (shipped)");
  command->add_option(
      "--by", typed->by,
      "of layers: a model of each value of this column, judged on all the others, as in model; of network: columns "
      "that make groups, each with fits of its own");
  command->add_option("--test", typed->test, "of layers: rows to hold out and judge on, as in \"model = AlexNet\"");
  command->add_option("--plot", typed->plot,
                      "of layers, network and grey-box: also draw fitted over measured times into this SVG");
  command->add_option("--residuals", typed->residuals,
                      "of layers, network and grey-box: also draw residuals over fitted times into this SVG");
  command->add_option("--format", typed->format, "of network and --compare: table (default) or json");
  command->add_flag("--compare", typed->compare,
                    "of grey-box: judge it beside other models on rows, and on GPUs, that were held out");
  command->add_option("--extrapolate", typed->extrapolate,
                      "of network: hold out the rows beyond this, as in \"batch_size > 64\"; of --compare: too");
  command->add_option(
      "--split", typed->split,
      "of network: how rows are held out instead: holdout (default), holdout=SHARE, kfold, kfold=FOLDS, "
      "none");
  command->add_option("--ways", typed->ways,
                      "of network: which of affine,alphabet,physics,analytic,scaled,trees (default: all)");
  command->add_option("--degree", typed->degree, "of --ways alphabet: most columns in a product (default: 2)");
  command->add_option("--terms", typed->terms, "of --ways alphabet: most terms that selection keeps (default: 6)");
  command->add_option("--features", typed->features,
                      "of network: the terms of an equation of one's own, as in \"1,batch_size/gpus,ln(flops)\"");
  command->add_option("--technique", typed->technique, "of --features: least-squares (default), ridge, nnls or trees");
  command->add_flag("--details", typed->details, "of network: coefficients and warnings of every fit");
  command->add_flag("--flagged", typed->flagged, "of network: flagged rows too");
  command->add_option("--suggest", typed->suggest,
                      "of calibration: name so many rows, with or without times, that would tell most if measured");
  command->add_flag("--chosen", typed->chosen,
                    "of --points: rows as --suggest names them out of half of the rows, not any");
  command->add_flag("--unknown-harness", typed->unknown_harness,
                    "of --points and --suggest: nothing is known of what the rows' frameworks add to a call");
  command->add_option("--where", typed->where, "only these rows, as in \"gpu = t4 and K >= 64\"");
  command->add_option("--ignore", typed->ignore, "columns to hide from the plan, as in algorithm,kernel");
  command->add_option("--date", typed->date, "of the fit, to be written beside it");
  command->add_flag("--skip-bad-rows", typed->skip_bad_rows, "leave out rows that are wrong");
  command->add_option("-o,--output", typed->output,
                      "write the calibration (TOML) to this file, for --calibration; of layers, network and grey-box "
                      "the model (JSON), for "
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
