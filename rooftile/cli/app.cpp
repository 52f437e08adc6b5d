#include "rooftile/cli/app.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/completion.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/error/nearest.hpp"
#include "rooftile/units/text.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

constexpr int kError = 1, kWrongUsage = 2;

// Every option as the user typed it, before it means anything.
struct Typed {
  std::string model, gpu, batch_size, seq_len, precision,
      pass = "inference", method = "rooftile", format, output, tile, active_ctas, algorithm, framework, calibration,
      layers, layer, a, b, name, shell, miss_rate, policy = "lru", against, only, random, seed, l1;
  bool warm = false, exact = false, convolutions = false, scores = false;
  bool all = false, skip_unsupported = false, override_cells = false, skip_bad_rows = false, names = false;
};

tl::unexpected<Error> usage(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

// A framework whose calls no calibration knows would change nothing.
Result<void> check_framework(const std::string& name, const Calibration& calibration) {
  if (name.empty()) return {};
  std::vector<std::string> known;
  for (const Harness& harness : calibration.harnesses) {
    if (harness.framework == name) return {};
    known.push_back(harness.framework);
  }
  return fail(ErrorCode::not_found, fmt::format("no constants for framework '{}'{}", name, did_you_mean(name, known)),
              "--framework");
}

// What only the refined method can use.
Result<void> refined_arguments(const Typed& typed, PredictionArguments& arguments) {
  for (const auto& [option, text] : {std::pair{"--algorithm", &typed.algorithm},
                                     {"--framework", &typed.framework},
                                     {"--calibration", &typed.calibration}}) {
    if (!text->empty() && arguments.method != Method::rooftile) {
      return usage(fmt::format("{} is for --method rooftile", option));
    }
  }
  if (!typed.algorithm.empty()) {
    std::vector<std::string> known;
    for (const Algorithm algorithm : kAlgorithms) {
      known.emplace_back(name_of(algorithm));
    }
    if (auto result = check_choice("--algorithm", typed.algorithm, known, {}); !result) return result;
    arguments.plan.algorithm = typed.algorithm;
  }
  auto calibration = calibration_of_option(typed.calibration);
  if (!calibration) return tl::unexpected(calibration.error());
  arguments.calibration = std::move(*calibration);
  arguments.framework = typed.framework;
  return check_framework(typed.framework, arguments.calibration ? *arguments.calibration : builtin_calibration());
}

// Checks and converts the options that decide a prediction.
Result<PredictionArguments> prediction_arguments(const Typed& typed) {
  PredictionArguments arguments;
  arguments.skip_unsupported = typed.skip_unsupported;
  const auto phase = parse_phase(typed.pass);
  if (!phase) return tl::unexpected(check_choice("--pass", typed.pass, phase_names(), {}).error());
  arguments.phase = *phase;
  const auto method = parse_method("--method", typed.method);
  if (!method) return tl::unexpected(method.error());
  arguments.method = method->method;
  arguments.prior_miss_rate = method->prior_miss_rate;
  if (!typed.miss_rate.empty()) {
    if (arguments.method != Method::prior) return usage("--miss-rate is for --method prior");
    const auto rate = parse_rate("--miss-rate", typed.miss_rate);
    if (!rate) return tl::unexpected(rate.error());
    arguments.prior_miss_rate = *rate;
  }
  if (!typed.gpu.empty()) {
    auto gpus = parse_list("--gpu", typed.gpu);
    if (!gpus) return tl::unexpected(gpus.error());
    arguments.gpus = std::move(*gpus);
  }
  if (!typed.precision.empty()) {
    const auto precision = parse_precision("--precision", typed.precision);
    if (!precision) return tl::unexpected(precision.error());
    arguments.precision = *precision;
  }
  if (!typed.batch_size.empty()) {
    const auto batch_size = parse_count("--batch-size", typed.batch_size, kMaxDimension);
    if (!batch_size) return tl::unexpected(batch_size.error());
    arguments.batch_size = *batch_size;
  }
  if (!typed.seq_len.empty()) {
    const auto seq_len = parse_count("--seq-len", typed.seq_len, kMaxDimension);
    if (!seq_len) return tl::unexpected(seq_len.error());
    arguments.seq_len = *seq_len;
  }
  if (!typed.tile.empty()) {
    const auto tile = parse_tile("--tile", typed.tile);
    if (!tile) return tl::unexpected(tile.error());
    arguments.plan.tile = *tile;
  }
  if (!typed.active_ctas.empty()) {
    constexpr std::int64_t kMost = 1024;
    const auto active = parse_count("--active-ctas", typed.active_ctas, kMost);
    if (!active) return tl::unexpected(active.error());
    arguments.plan.active_ctas_per_sm = static_cast<int>(*active);
  }
  if (auto refined = refined_arguments(typed, arguments); !refined) return tl::unexpected(refined.error());
  return arguments;
}

Result<void> run_predict(const Typed& typed) {
  const auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  if (!typed.layers.empty()) {
    if (!typed.model.empty()) return usage("give either a MODEL or --layers TABLE.csv, not both");
    if (prediction->gpus.size() > 1) return usage("--layers takes one GPU; rows may name others");
    const auto format = parse_format("--format", typed.format, typed.output);
    if (!format) return tl::unexpected(format.error());
    const bool table_asked = *format == Format::table && !typed.format.empty();
    if (*format == Format::json || table_asked) return usage("--layers writes CSV only");
    if (!typed.batch_size.empty() || typed.all || typed.skip_unsupported) {
      return usage("--batch-size, --all and --skip-unsupported are for a MODEL, not for --layers");
    }
    return predict_layers({.table = typed.layers,
                           .prediction = *prediction,
                           .override_cells = typed.override_cells,
                           .skip_bad_rows = typed.skip_bad_rows,
                           .output = typed.output});
  }
  if (typed.override_cells || typed.skip_bad_rows) return usage("--override and --skip-bad-rows are for --layers");
  if (typed.model.empty())
    return usage("predict needs a MODEL (a file or a name of 'rooftile models') or --layers TABLE.csv");
  if (prediction->gpus.empty()) return usage("predict needs --gpu ID; 'rooftile gpus' lists them");
  const auto format = parse_format("--format", typed.format, typed.output, true);
  if (!format) return tl::unexpected(format.error());
  return predict_model({.model = typed.model,
                        .prediction = *prediction,
                        .format = *format,
                        .all_layers = typed.all,
                        .output = typed.output});
}

Result<void> run_roofline(const Typed& typed, RooflineArguments arguments) {
  auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  const bool study = !arguments.study.empty();
  if (typed.model.empty() && arguments.profiles.empty() && !study) {
    return usage("roofline needs a MODEL, --profile FILE, both, or --study NAME");
  }
  if (study && !(typed.model.empty() && arguments.profiles.empty())) {
    return usage("--study takes no MODEL and no --profile; --measured TABLE.csv adds measured rows");
  }
  if (!study && !arguments.measured.empty()) return usage("--measured is for --study; a table is also a --profile");
  if (prediction->gpus.size() != 1) return usage("roofline needs --gpu with one ID");
  arguments.model = typed.model;
  arguments.prediction = std::move(*prediction);
  arguments.format = typed.format;
  arguments.output = typed.output;
  arguments.all = typed.all;
  return draw_roofline(arguments);
}

Result<void> run_cost(const Typed& typed, CostArguments arguments) {
  auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  arguments.model = typed.model;
  arguments.prediction = std::move(*prediction);
  arguments.format = typed.format;
  arguments.output = typed.output;
  return cli::cost(arguments);
}

Result<void> run_sensitivity(const Typed& typed) {
  const auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  if (typed.model.empty()) return usage("sensitivity needs a MODEL");
  if (prediction->gpus.size() != 1) return usage("sensitivity needs --gpu with one ID");
  return show_sensitivity({.model = typed.model,
                           .prediction = *prediction,
                           .all_layers = typed.all,
                           .format = typed.format,
                           .output = typed.output});
}

Result<void> run_explain(const Typed& typed) {
  const auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  if (typed.model.empty()) return usage("explain needs a MODEL");
  if (typed.layer.empty()) return usage("explain needs --layer NAME; 'rooftile models show MODEL' lists them");
  if (prediction->gpus.size() != 1) return usage("explain needs --gpu with one ID");
  return explain({.model = typed.model, .layer = typed.layer, .prediction = *prediction});
}

// What --policy, --warm, --l1 and --exact say.
Result<SimulateOptions> simulate_options(const Typed& typed) {
  SimulateOptions options;
  if (auto policy = check_choice("--policy", typed.policy, {"lru", "random"}, {}); !policy) {
    return tl::unexpected(policy.error());
  }
  options.policy = typed.policy == "lru" ? Replacement::lru : Replacement::random;
  options.start = typed.warm ? Start::warm : Start::cold;
  options.l1 = typed.l1 != "off";
  if (options.l1 && !typed.l1.empty()) {
    const auto capacity = parse<Bytes>(typed.l1);
    if (!capacity) return fail(ErrorCode::usage, capacity.error().message + "; or off", "--l1");
    options.l1_capacity = *capacity;
  }
  if (typed.exact) options.exact_up_to = std::numeric_limits<double>::infinity();
  return options;
}

Result<void> run_simulate(const Typed& typed) {
  const auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  SimulateArguments arguments;
  arguments.table = typed.layers;
  arguments.layer = typed.layer;
  arguments.prediction = *prediction;
  if (prediction->gpus.size() != 1) return usage("simulate needs --gpu with one ID");
  const auto options = simulate_options(typed);
  if (!options) return tl::unexpected(options.error());
  arguments.options = *options;
  constexpr std::int64_t kMost = 1000000;
  const auto count = [](std::string_view option, const std::string& text, std::int64_t& value) -> Result<void> {
    if (text.empty()) return {};
    const auto number = parse_count(option, text, kMost);
    if (!number) return tl::unexpected(number.error());
    value = *number;
    return {};
  };
  if (auto result = count("--random", typed.random, arguments.random_layers); !result) return result;
  if (auto result = count("--seed", typed.seed, arguments.seed); !result) return result;
  const auto list = [](std::string_view option, const std::string& text,
                       std::vector<std::string>& elements) -> Result<void> {
    if (text.empty()) return {};
    auto parsed = parse_list(option, text);
    if (!parsed) return tl::unexpected(parsed.error());
    elements = std::move(*parsed);
    return {};
  };
  if (auto result = list("MODEL", typed.model, arguments.models); !result) return result;
  if (auto result = list("--against", typed.against, arguments.against); !result) return result;
  for (const std::string& method : arguments.against) {
    if (auto result = check_choice("--against", method, {"delta", "refined"}, {}); !result) return result;
  }
  if (arguments.models.empty() && arguments.table.empty() && arguments.random_layers == 0) {
    return usage("simulate needs a MODEL, --layers TABLE.csv or --random COUNT");
  }
  const auto format = parse_format("--format", typed.format, typed.output);
  if (!format) return tl::unexpected(format.error());
  arguments.convolutions_only = typed.convolutions;
  arguments.scores_only = typed.scores;
  arguments.format = *format;
  arguments.output = typed.output;
  return simulate_layers(arguments);
}

Result<void> run_evaluate(const Typed& typed) {
  EvaluateArguments arguments;
  if (typed.output.empty() || typed.output == "-") return usage("evaluate needs -o FOLDER");
  arguments.folder = typed.output;
  const auto prediction = prediction_arguments(typed);
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

// What the command explore takes besides.
struct TypedExplore {
  std::string method = "delta", best, pareto, heat_map, csv, rows, threads;
  bool scaling = false, all_layers = false, layer_times = false;
};

Result<void> run_explore(const Typed& typed, const TypedExplore& own) {
  if (typed.model.empty() && !own.scaling) return usage("explore needs a SPACE.toml, or --scaling");
  ExploreArguments arguments;
  Typed with_method = typed;
  with_method.method = own.method;
  const auto prediction = prediction_arguments(with_method);
  if (!prediction) return tl::unexpected(prediction.error());
  arguments.prediction = *prediction;
  if (own.scaling) {
    if (prediction->gpus.size() > 1) return usage("--scaling takes one GPU");
    for (const auto& [option, text] : {std::pair{"--best", &own.best},
                                       {"--pareto", &own.pareto},
                                       {"--heat-map", &own.heat_map},
                                       {"--csv", &own.csv},
                                       {"--rows", &own.rows},
                                       {"--threads", &own.threads}}) {
      if (!text->empty()) return usage(fmt::format("{} is for a SPACE.toml, not for --scaling", option));
    }
  } else if (!typed.gpu.empty() || !typed.batch_size.empty() || own.all_layers) {
    return usage("--gpu, --batch-size and --all-layers are for --scaling; a space file says its own");
  }
  if (own.layer_times && own.csv.empty()) return usage("--layer-times is for --csv");
  constexpr std::int64_t kMostBest = 100000, kMostThreads = 1024;
  if (!own.best.empty()) {
    const auto best = parse_count("--best", own.best, kMostBest);
    if (!best) return tl::unexpected(best.error());
    arguments.best = *best;
  }
  if (!own.threads.empty()) {
    const auto threads = parse_count("--threads", own.threads, kMostThreads);
    if (!threads) return tl::unexpected(threads.error());
    arguments.threads = *threads;
  }
  for (const auto& [option, text, elements] :
       {std::tuple{"--pareto", &own.pareto, &arguments.pareto}, {"--heat-map", &own.heat_map, &arguments.heat_map}}) {
    if (text->empty()) continue;
    auto list = parse_list(option, *text);
    if (!list) return tl::unexpected(list.error());
    *elements = std::move(*list);
  }
  arguments.space = typed.model;
  arguments.scaling = own.scaling;
  arguments.all_layers = own.all_layers;
  arguments.csv = own.csv;
  arguments.rows = own.rows;
  arguments.layer_times = own.layer_times;
  arguments.folder = typed.output;
  return explore(arguments);
}

Result<void> run_gpus(const Typed& typed) {
  if (typed.names && !typed.name.empty()) return usage("--names lists all; 'show' shows one");
  const auto format = parse_format("--format", typed.format, "");
  if (!format) return tl::unexpected(format.error());
  if (*format == Format::csv) return usage("gpus has no CSV; --format json has every number");
  return gpus({.id = typed.name, .format = *format, .names_only = typed.names});
}

Result<void> run_models(const Typed& typed) {
  if (typed.names && !typed.name.empty()) return usage("--names lists all; 'show' shows one");
  const auto format = parse_format("--format", typed.format, "");
  if (!format) return tl::unexpected(format.error());
  if (*format == Format::csv) return usage("models has no CSV; --format json is the workload");
  const auto prediction = prediction_arguments(typed);
  if (!prediction) return tl::unexpected(prediction.error());
  return models(
      {.name = typed.name, .format = *format, .names_only = typed.names, .batch_size = prediction->batch_size});
}

class CommandLine {
 public:
  CommandLine() : app_("Predicts how long a neural network takes on a GPU, and what limits it.", "rooftile") {
    app_.set_version_flag("--version", "rooftile " ROOFTILE_VERSION);
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    app_.footer(
        "Example: rooftile predict resnet152 --gpu titan-xp --batch-size 256\n"
        "Each command has its own --help.");
    add_predict();
    add_roofline();
    add_cost();
    add_sensitivity();
    add_explain();
    add_validate();
    add_fit();
    add_simulate();
    add_evaluate();
    add_explore();
    add_lists();
    add_files();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& help) {
      return app_.exit(help);  // --help, --version
    } catch (const CLI::ParseError& error) {
      return report(Error{ErrorCode::usage, plain(error), ""});
    }
    if (auto result = check_extras(app_); !result) return report(result.error());
    if (app_.get_subcommands().empty()) {
      write_output("", app_.help());
      return kWrongUsage;
    }
    const CLI::App* chosen = app_.get_subcommands().front();
    for (const auto& [command, action] : commands_) {
      if (command != chosen) continue;
      const Result<void> result = action();
      return result ? 0 : report(result.error());
    }
    return kError;
  }

 private:
  CLI::App* add(const std::string& name, const std::string& description, const std::string& example,
                std::function<Result<void>()> action) {
    CLI::App* command = app_.add_subcommand(name, description);
    command->footer("Example: " + example);
    command->allow_extras();
    commands_.emplace_back(command, std::move(action));
    return command;
  }

  void add_prediction_options(CLI::App* command, const std::string& gpu_help) {
    command->add_option("--gpu", typed_.gpu, gpu_help);
    command->add_option("-b,--batch-size", typed_.batch_size, "samples a batch (default: the model's own, else 1)");
    command->add_option("--seq-len", typed_.seq_len,
                        "positions of a text, for transformers (default: the model's own)");
    command->add_option("--precision", typed_.precision,
                        "fp32 (default), tf32, fp16, bf16, fp8 or int8, as the GPU has it; delta and prior: fp32");
    command->add_flag("--skip-unsupported", typed_.skip_unsupported,
                      "leave out operators that are not supported, and list them");
    command->add_option("--method", typed_.method,
                        "rooftile (default), delta (DeLTA as published: convolutions and GEMMs), roofline, or "
                        "prior[=RATE] (DeLTA with fixed miss rates); other operators stream");
    command->add_option("--miss-rate", typed_.miss_rate, "of L1 and L2 for --method prior, 0 to 1 (default: 1)");
    command->add_option("--tile", typed_.tile, "CTA tile to use instead of the method's choice, as in 128x64x4");
    command->add_option("--active-ctas", typed_.active_ctas, "CTAs resident on an SM, instead of the occupancy rule");
    command->add_option("--algorithm", typed_.algorithm,
                        "of convolutions: implicit_gemm, winograd, winograd_nonfused or fft, where the shape allows it "
                        "(method rooftile; default: the fastest)");
    command->add_option("--framework", typed_.framework,
                        "that runs the operators, for its overhead, as in a calibration (method rooftile)");
    command->add_option("--calibration", typed_.calibration,
                        "take the constants from this file, not those of the program (method rooftile)");
  }

  void add_predict() {
    CLI::App* command = add("predict", "Predict a network's time on a GPU, or each row of a layer table",
                            "rooftile predict resnet50.onnx --gpu titan-xp,v100-sxm2-16gb --batch-size 64 -o r50.json",
                            [this] { return run_predict(typed_); });
    command->add_option("MODEL", typed_.model,
                        "an .onnx file, a workload .json, a name of 'rooftile models', or - (standard input)");
    add_prediction_options(command, "catalogue id, an unambiguous part of one, or a .toml file; several with commas");
    command->add_option(
        "--pass", typed_.pass,
        "inference (fwd), training (step: forward, gradients, update), or bwd, fwd_bwd, bwd_data, bwd_weight");
    command->add_option("--format", typed_.format, "table, json, csv or html (default: by the suffix of -o)");
    command->add_option("-o,--output", typed_.output, "write to this file");
    command->add_flag("--all", typed_.all, "list every layer, not the ten slowest");
    command->add_option("--layers", typed_.layers, "predict each row of this CSV instead of a MODEL");
    command->add_flag("--override", typed_.override_cells,
                      "with --layers: --gpu and --precision win over the row's own");
    command->add_flag("--skip-bad-rows", typed_.skip_bad_rows,
                      "with --layers: leave out rows that are wrong, and list them");
  }

  void add_roofline() {
    CLI::App* command = add("roofline", "Show what bounds each kernel, predicted or measured: table, charts, page",
                            "rooftile roofline resnet50 --gpu v100-sxm2-16gb --precision fp16 -o resnet50.svg",
                            [this] { return run_roofline(typed_, roofline_); });
    command->add_option("MODEL", typed_.model, "as for predict");
    add_prediction_options(command, "catalogue id, an unambiguous part of one, or a .toml file");
    command->add_option("--pass", typed_.pass, "as for predict");
    command->add_option("--profile", roofline_.profiles,
                        "kernels that a profiler measured: Nsight Compute, nvprof, PyTorch, rocprof, or a layer table "
                        "with counters; may be given several times");
    command->add_option("--study", roofline_.study,
                        "conv2d or lstm instead of a MODEL: a layer with one dimension varied at a time");
    command->add_option("--measured", roofline_.measured, "with --study: a layer table whose rows are drawn in");
    command->add_option("--level", roofline_.level, "memory level of time points: L1, L2 or DRAM (default)");
    command->add_option("--roof", roofline_.roof,
                        "auto (default: each kernel under the roof of the unit it ran on), fp64, fp32, fp16, "
                        "tensor_fp16, …");
    command->add_option("--ceilings", roofline_.ceilings,
                        "measured ceilings instead of the catalogue's: v100-ert, v100-ert-no-fma, or a .toml file");
    command->add_option("--chart", roofline_.chart,
                        "of an SVG: complexity, time, combined (default), classic, hierarchical, bottleneck or stalls");
    command->add_option("--axes", roofline_.axes, "of an SVG: bytes-x (default) or flops-x");
    command->add_option("--format", typed_.format, "table, json, csv, svg or html (default: by the suffix of -o)");
    command->add_option("-o,--output", typed_.output, "write to this file");
    command->add_flag("--all", typed_.all, "list every kernel, not those with the most to win");
  }

  void add_cost() {
    CLI::App* command =
        add("cost", "Estimate what GPUs cost to make, their power, and the energy of a network",
            "rooftile cost resnet50 --gpu v100-sxm2-16gb,titan-xp", [this] { return run_cost(typed_, cost_); });
    command->add_option("MODEL", typed_.model, "as for predict; adds its energy a sample");
    add_prediction_options(command, "ids with commas, or .toml files (default: the catalogue, and public die areas)");
    command->add_option("--pass", typed_.pass, "as for predict");
    command->add_option("--costs", cost_.costs, "a .toml file whose numbers go over those built in");
    command->add_flag("--sources", cost_.sources, "list every number with its source");
    command->add_option("--format", typed_.format, "table, json or csv (default: by the suffix of -o)");
    command->add_option("-o,--output", typed_.output, "write to this file");
  }

  void add_sensitivity() {
    CLI::App* command = add("sensitivity", "Show what each resource of a GPU is worth to a network, and until when",
                            "rooftile sensitivity resnet152 --gpu titan-xp --method delta --batch-size 256",
                            [this] { return run_sensitivity(typed_); });
    command->add_option("MODEL", typed_.model, "as for predict");
    add_prediction_options(command, "catalogue id, an unambiguous part of one, or a .toml file");
    command->add_option("--pass", typed_.pass, "as for predict");
    command->add_option("--format", typed_.format, "table, json or csv (default: by the suffix of -o)");
    command->add_option("-o,--output", typed_.output, "write to this file");
    command->add_flag("--all", typed_.all, "list every layer, not the ten slowest");
  }

  void add_explain() {
    CLI::App* command = add("explain", "Show every number behind one layer's time, equation by equation",
                            "rooftile explain alexnet --layer conv1 --gpu titan-xp --batch-size 256",
                            [this] { return run_explain(typed_); });
    command->add_option("MODEL", typed_.model, "as for predict");
    command->add_option("--layer", typed_.layer, "the layer's name, or a part that only one has");
    command->add_option("--pass", typed_.pass, "fwd (default), bwd_data or bwd_weight");
    add_prediction_options(command, "catalogue id, an unambiguous part of one, or a .toml file");
  }

  void add_simulate() {
    CLI::App* command = add("simulate", "Count the bytes of convolutions and GEMMs by replaying their addresses",
                            "rooftile simulate vgg16 --gpu titan-xp --batch-size 256 --layer conv3",
                            [this] { return run_simulate(typed_); });
    command->add_option("MODEL", typed_.model, "as for predict; several with commas");
    command->add_option("--layers", typed_.layers, "simulate each row of this CSV");
    command->add_option("--layer", typed_.layer, "only layers with this in their names");
    command->add_flag("--convolutions", typed_.convolutions, "leave out plain GEMMs");
    command->add_option("--gpu", typed_.gpu, "catalogue id, an unambiguous part of one, or a .toml file");
    command->add_option("-b,--batch-size", typed_.batch_size, "samples a batch (default: the model's own, else 1)");
    command->add_flag("--skip-unsupported", typed_.skip_unsupported, "leave out operators that are not supported");
    command->add_option("--tile", typed_.tile, "CTA tile to use instead of DeLTA's choice, as in 128x64x4");
    command->add_option("--active-ctas", typed_.active_ctas, "CTAs resident on an SM, instead of the occupancy rule");
    command->add_option("--policy", typed_.policy, "replacement in both caches: lru or random");
    command->add_flag("--warm", typed_.warm, "start with the L2 as an earlier run left it, not empty");
    command->add_option(
        "--l1", typed_.l1,
        "bytes of an SM's L1, as in 32KiB, or off: loads pass it by (default: half of what shared memory leaves)");
    command->add_flag("--exact", typed_.exact,
                      "replay every CTA, however long it takes; else large layers are sampled");
    command->add_option("--against", typed_.against,
                        "closed forms to compare with: delta, refined, or both with a comma");
    command->add_option("--random", typed_.random, "simulate so many random convolutions as well");
    command->add_option("--seed", typed_.seed, "of the random convolutions (default: 1)");
    command->add_flag("--scores", typed_.scores, "print how far --against is off, not each layer");
    command->add_option("--format", typed_.format, "table, json or csv (default: by the suffix of -o)");
    command->add_option("-o,--output", typed_.output, "write to this file");
  }

  void add_fit() {
    CLI::App* command = add("fit", "Fit the constants of method rooftile to measurements",
                            "rooftile fit measured.csv --where \"gpu = t4\" -o t4.toml", [this]() -> Result<void> {
                              if (fit_.tables.empty()) return usage("fit needs a TABLE.csv, or several");
                              return cli::fit(fit_);
                            });
    command->add_option("TABLE", fit_.tables, "layer tables with measurements (CSV)");
    command->add_option("--where", fit_.where, "only these rows, as in \"gpu = t4 and K >= 64\"");
    command->add_option("--ignore", fit_.ignore, "columns to hide from the plan, as in algorithm,kernel");
    command->add_option("--date", fit_.date, "of the fit, to be written beside it");
    command->add_flag("--skip-bad-rows", fit_.skip_bad_rows, "leave out rows that are wrong");
    command->add_option("-o,--output", fit_.output, "write the calibration (TOML) to this file, for --calibration");
  }

  void add_evaluate() {
    CLI::App* command = add("evaluate", "Make the tables and figures of the DeLTA paper, as CSV and SVG",
                            "rooftile evaluate -o evaluation", [this] { return run_evaluate(typed_); });
    command->add_option("-o,--output", typed_.output, "write into this folder; it is made if it is not there");
    command->add_option("--gpu", typed_.gpu,
                        "ids with commas, or .toml files (default: titan-xp-delta,p100-delta,v100-delta)");
    command->add_option("-b,--batch-size", typed_.batch_size, "samples a batch (default: 256, as in the paper)");
    command->add_option("--only", typed_.only,
                        "only these, with commas: table1, fig4, fig11, fig12, fig13 (with 14 "
                        "and 19), fig15, table16 (with fig16), fig17, fig20");
  }

  void add_explore() {
    CLI::App* command =
        add("explore", "Evaluate a space of GPU designs: the best, the Pareto front, what limits them",
            "rooftile explore space.toml --pareto sm_count,dram_bandwidth --heat-map sm_count,l2_bandwidth -o designs",
            [this] { return run_explore(typed_, explore_); });
    command->add_option("SPACE", typed_.model, "a design space (TOML); with --scaling a MODEL (default: resnet152)");
    command->add_flag("--scaling", explore_.scaling, "the nine options of the DeLTA paper's Table 16a instead");
    command->add_flag("--all-layers", explore_.all_layers, "with --scaling: not only convolutions");
    command->add_option("--gpu", typed_.gpu, "with --scaling: the GPU that is scaled (default: titan-xp-delta)");
    command->add_option("-b,--batch-size", typed_.batch_size, "with --scaling: samples a batch (default: 256)");
    command->add_option("--method", explore_.method,
                        "delta (default: millions of designs a second), or as for predict (thousands)");
    command->add_option("--precision", typed_.precision, "as for predict");
    command->add_option("--best", explore_.best, "how many of the fastest designs to show (default: 10)");
    command->add_option("--pareto", explore_.pareto,
                        "axes with commas: designs that none beats in time and all of these");
    command->add_option("--heat-map", explore_.heat_map,
                        "two axes with a comma: the best speedup for each pair of values");
    command->add_option("--csv", explore_.csv, "write every design to this CSV");
    command->add_flag("--layer-times", explore_.layer_times, "with --csv: a column for each layer too");
    command->add_option("--rows", explore_.rows,
                        "write every design and layer time to this binary file (docs/explore.md)");
    command->add_option("--threads", explore_.threads, "CPU threads (default: all); the result does not depend on it");
    command->add_option("-o,--output", typed_.output, "write report, CSV and SVG into this folder");
  }

  void add_validate() {
    CLI::App* command = add("validate", "Compare predictions with measurements, row by row of some tables",
                            "rooftile validate measured.csv --by gpu,pass --method delta,roofline --plot scatter.svg",
                            [this]() -> Result<void> {
                              if (validate_.tables.empty()) return usage("validate needs a TABLE.csv, or several");
                              return cli::validate(validate_);
                            });
    command->add_option("TABLE", validate_.tables, "layer tables with measurements (CSV)");
    command->add_option("--by", validate_.by, "columns that make the groups, as in gpu,pass");
    command->add_option("--method", validate_.method, "methods side by side, as in delta,roofline,prior=0.5");
    command->add_option("--where", validate_.where, "only these rows, as in \"gpu = t4 and K >= 64\"");
    command->add_option("--ignore", validate_.ignore, "columns to hide from the predictor, as in algorithm,framework");
    command->add_option("--quantity", validate_.quantity, "what is compared: time, l1, l2, dram or launches");
    command->add_flag("--flagged", validate_.flagged, "score flagged rows too");
    command->add_flag("--bias-kernel", validate_.bias_kernel, "the counters also cover a kernel that adds a bias");
    command->add_option("--gpu", validate_.gpu, "GPU of rows that name none");
    command->add_option("--precision", validate_.precision, "precision of rows that name none (default: fp32)");
    command->add_flag("--override", validate_.override_cells, "--gpu and --precision win over the row's own");
    command->add_flag("--skip-bad-rows", validate_.skip_bad_rows, "leave out rows that are wrong, and list them");
    command->add_option("--format", validate_.format, "table, json or csv (default: by the suffix of -o)");
    command->add_option("-o,--output", validate_.output, "write to this file");
    command->add_option("--calibration", validate_.calibration,
                        "constants of method rooftile from this file, not those of the program");
    command->add_flag("--choice", validate_.choice, "score how method rooftile chooses algorithm and tile instead");
    command->add_option("--tier", validate_.tier,
                        "constants of method rooftile fitted without the row: own (on other shapes of its GPU too) or "
                        "none (its GPU left out)");
    command->add_option("--rows", validate_.rows, "also write the rows behind the figures to this CSV");
    command->add_option("--plot", validate_.plot, "also draw predicted over measured into this SVG");
  }

  void add_lists() {
    CLI::App* gpus = add("gpus", "List the GPUs, or show every number of one with its source",
                         "rooftile gpus show v100-sxm2-16gb", [this] { return run_gpus(typed_); });
    gpus->add_option("--format", typed_.format, "table or json");
    gpus->add_flag("--names", typed_.names, "ids alone, one a line");
    add_show(gpus, "ID", "catalogue id, an unambiguous part of one, or a .toml file");

    CLI::App* models = add("models", "List the networks built in, or show the layers of one",
                           "rooftile models show googlenet", [this] { return run_models(typed_); });
    models->add_option("--format", typed_.format, "table, or json: the workload, to keep or edit");
    models->add_option("-b,--batch-size", typed_.batch_size, "samples a batch");
    models->add_flag("--names", typed_.names, "names alone, one a line");
    add_show(models, "NAME", "a name of 'rooftile models', an .onnx file or a workload .json");

    CLI::App* support = add("support", "Show which of a model's operators are predicted, and how",
                            "rooftile support model.onnx", [this]() -> Result<void> {
                              if (typed_.model.empty()) return usage("support needs a MODEL");
                              return cli::support({.model = typed_.model});
                            });
    support->add_option("MODEL", typed_.model, "as for predict");
  }

  void add_show(CLI::App* parent, const std::string& what, const std::string& help) {
    CLI::App* show = parent->add_subcommand("show", "Show one");
    show->add_option(what, typed_.name, help)->required();
    show->fallthrough();
    show->allow_extras();
  }

  void add_files() {
    CLI::App* diff = add("diff", "Compare two predictions written as JSON", "rooftile diff before.json after.json",
                         [this]() -> Result<void> {
                           if (typed_.b.empty()) return usage("diff needs two prediction files, A.json and B.json");
                           return cli::diff({.a = typed_.a, .b = typed_.b});
                         });
    diff->add_option("A", typed_.a, "a prediction, from predict --format json");
    diff->add_option("B", typed_.b, "another");

    CLI::App* strip = add("strip", "Copy an ONNX file without its weights, small enough to share",
                          "rooftile strip resnet50.onnx -o resnet50-shapes.onnx", [this]() -> Result<void> {
                            if (typed_.model.empty()) return usage("strip needs an ONNX file");
                            if (typed_.output.empty()) return usage("strip needs -o FILE; - is standard output");
                            return cli::strip({.model = typed_.model, .output = typed_.output});
                          });
    strip->add_option("MODEL", typed_.model, "an .onnx file");
    strip->add_option("-o,--output", typed_.output, "write to this file");

    CLI::App* completion =
        add("completion", "Print a completion script for a shell",
            "rooftile completion bash > ~/.local/share/bash-completion/completions/rooftile", [this]() -> Result<void> {
              if (typed_.shell.empty()) return usage("completion needs a SHELL: bash, zsh or fish");
              const auto script = completion_script(app_, typed_.shell);
              if (!script) return tl::unexpected(script.error());
              return write_output("", *script);
            });
    completion->add_option("SHELL", typed_.shell, "bash, zsh or fish");
  }

  // An argument that nothing took is an error which names the nearest thing that would have.
  static Result<void> check_extras(const CLI::App& app) {
    for (const CLI::App* nested : app.get_subcommands()) {
      if (auto result = check_extras(*nested); !result) return result;
    }
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return {};
    std::string extra = extras.front();
    for (const std::string& other : extras) {
      if (other.starts_with("-") && !extra.starts_with("-") && app.get_parent() != nullptr) extra = other;
    }
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (const CLI::App* nested : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(nested->get_name());
    }
    static const std::vector<std::string> kPlanned = {"explore", "import", "compare"};
    const bool planned = std::find(kPlanned.begin(), kPlanned.end(), extra) != kPlanned.end();
    if (app.get_parent() == nullptr && planned) {
      return fail(ErrorCode::unsupported, fmt::format("the command '{}' is not built yet", extra));
    }
    const char* what = extra.starts_with("-") ? "option" : (app.get_parent() == nullptr ? "command" : "argument");
    return usage(fmt::format("unknown {} '{}'{}", what, extra, did_you_mean(extra, known)));
  }

  // CLI11's own messages, in words that say what to do.
  static std::string plain(const CLI::ParseError& error) {
    std::string text = error.what();
    const std::string option = text.substr(0, text.find(':'));
    if (text.find("At Most 1") != std::string::npos) return fmt::format("give {} only once", option);
    if (text.find("required TEXT missing") != std::string::npos) return fmt::format("{} needs a value", option);
    return text;
  }

  int report(const Error& error) const {
    if (error.code != ErrorCode::usage) {
      write_error(error.text());
      return kError;
    }
    const auto chosen = app_.get_subcommands();
    const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
    write_error(fmt::format("{} (see 'rooftile {}--help')", error.text(), command));
    return kWrongUsage;
  }

  Typed typed_;
  TypedExplore explore_;
  CostArguments cost_;
  RooflineArguments roofline_;
  ValidateArguments validate_;
  FitArguments fit_;
  CLI::App app_;
  std::vector<std::pair<CLI::App*, std::function<Result<void>()>>> commands_;
};

}  // namespace

int run(int argc, char** argv) {
  report_file_size_limit();
  return CommandLine().run(argc, argv);
}

}  // namespace rooftile::cli
