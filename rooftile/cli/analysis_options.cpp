// The options of the commands that look behind a prediction: roofline, cost, sensitivity and explain.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <CLI/App.hpp>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedRoofline {
  RooflineArguments arguments;  // but for the prediction
  TypedPrediction prediction;
  std::string tensor_flops;
};

Result<void> run_roofline(const TypedRoofline& typed) {
  RooflineArguments arguments = typed.arguments;
  auto prediction = TRY(prediction_arguments(typed.prediction));
  const bool study = !arguments.study.empty();
  if (arguments.model.empty() && arguments.profiles.empty() && !study) {
    return usage("roofline needs a MODEL, --profile FILE, both, or --study NAME");
  }
  if (study && !(arguments.model.empty() && arguments.profiles.empty())) {
    return usage("--study takes no MODEL and no --profile; --measured TABLE.csv adds measured rows");
  }
  if (!study && !arguments.measured.empty()) return usage("--measured is for --study; a table is also a --profile");
  if (prediction.gpus.size() != 1) return usage("roofline needs --gpu with one ID");
  if (!typed.tensor_flops.empty()) {
    if (arguments.profiles.empty()) return usage("--tensor-flops is for --profile");
    constexpr std::int64_t kMost = 1 << 24;  // far beyond one instruction
    const auto flops = TRY(parse_count("--tensor-flops", typed.tensor_flops, kMost));
    arguments.tensor_flops = flops;
  }
  arguments.prediction = std::move(prediction);
  return draw_roofline(arguments);
}

struct TypedCost {
  CostArguments arguments;  // but for the prediction
  TypedPrediction prediction;
};

Result<void> run_cost(const TypedCost& typed) {
  CostArguments arguments = typed.arguments;
  auto prediction = TRY(prediction_arguments(typed.prediction));
  arguments.prediction = std::move(prediction);
  return cli::cost(arguments);
}

struct TypedSensitivity {
  std::string model, format, output;
  TypedPrediction prediction;
  bool all = false;
};

Result<void> run_sensitivity(const TypedSensitivity& typed) {
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  if (typed.model.empty()) return usage("sensitivity needs a MODEL");
  if (prediction.gpus.size() != 1) return usage("sensitivity needs --gpu with one ID");
  return show_sensitivity({.model = typed.model,
                           .prediction = prediction,
                           .all_layers = typed.all,
                           .format = typed.format,
                           .output = typed.output});
}

struct TypedExplain {
  std::string model, layer;
  TypedPrediction prediction;
};

Result<void> run_explain(const TypedExplain& typed) {
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  if (typed.model.empty()) return usage("explain needs a MODEL");
  if (typed.layer.empty()) return usage("explain needs --layer NAME; 'rooftile models show MODEL' lists them");
  if (prediction.gpus.size() != 1) return usage("explain needs --gpu with one ID");
  return explain({.model = typed.model, .layer = typed.layer, .prediction = prediction});
}

}  // namespace

void add_roofline(CommandList& commands) {
  const auto typed = std::make_shared<TypedRoofline>();
  CLI::App* command =
      commands.add("roofline", "Show what bounds each kernel, predicted or measured: table, charts, page",
                   "rooftile roofline resnet50 --gpu v100-sxm2-16gb --precision fp16 -o resnet50.svg",
                   [typed] { return run_roofline(*typed); });
  command->add_option("MODEL", typed->arguments.model, "as for predict");
  add_prediction_options(command, typed->prediction, "catalogue id, an unambiguous part of one, or a .toml file");
  command->add_option("--pass", typed->prediction.pass, "as for predict");
  command->add_option("--profile", typed->arguments.profiles,
                      "kernels that a profiler measured: Nsight Compute, nvprof, PyTorch, rocprof, or a layer table "
                      "with counters; may be given several times");
  command->add_option(
      "--tensor-flops", typed->tensor_flops,
      "of a profile: FLOPs of one instruction of the tensor cores, where the program does not know them");
  command->add_option("--study", typed->arguments.study,
                      "conv2d or lstm instead of a MODEL: a layer with one dimension varied at a time");
  command->add_option("--measured", typed->arguments.measured, "with --study: a layer table whose rows are drawn in");
  command->add_option("--level", typed->arguments.level, "memory level of time points: L1, L2 or DRAM (default)");
  command->add_option("--roof", typed->arguments.roof,
                      "auto (default: each kernel under the roof of the unit it ran on), fp64, fp32, fp16, "
                      "tensor_fp16, …");
  command->add_option("--ceilings", typed->arguments.ceilings,
                      "measured ceilings instead of the catalogue's: v100-ert, v100-ert-no-fma, or a .toml file");
  command->add_option("--chart", typed->arguments.chart,
                      "of an SVG: complexity, time, combined (default), classic, hierarchical, bottleneck or stalls");
  command->add_option("--axes", typed->arguments.axes, "of an SVG: bytes-x (default) or flops-x");
  command->add_option("--format", typed->arguments.format,
                      "table, json, csv, svg, png, pdf or html (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->arguments.output, "write to this file");
  command->add_flag("--all", typed->arguments.all, "list every kernel, not those with the most to win");
}

void add_cost(CommandList& commands) {
  const auto typed = std::make_shared<TypedCost>();
  CLI::App* command =
      commands.add("cost", "Estimate what GPUs cost to make, their power, and the energy of a network",
                   "rooftile cost resnet50 --gpu v100-sxm2-16gb,titan-xp", [typed] { return run_cost(*typed); });
  command->add_option("MODEL", typed->arguments.model, "as for predict; adds its energy a sample");
  add_prediction_options(command, typed->prediction,
                         "ids with commas, or .toml files (default: the catalogue, and public die areas)");
  command->add_option("--pass", typed->prediction.pass, "as for predict");
  command->add_option("--costs", typed->arguments.costs, "a .toml file whose numbers go over those built in");
  command->add_flag("--sources", typed->arguments.sources, "list every number with its source");
  command->add_option("--format", typed->arguments.format, "table, json or csv (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->arguments.output, "write to this file");
}

void add_sensitivity(CommandList& commands) {
  const auto typed = std::make_shared<TypedSensitivity>();
  CLI::App* command =
      commands.add("sensitivity", "Show what each resource of a GPU is worth to a network, and until when",
                   "rooftile sensitivity resnet152 --gpu titan-xp --method delta --batch-size 256",
                   [typed] { return run_sensitivity(*typed); });
  command->add_option("MODEL", typed->model, "as for predict");
  add_prediction_options(command, typed->prediction, "catalogue id, an unambiguous part of one, or a .toml file");
  command->add_option("--pass", typed->prediction.pass, "as for predict");
  command->add_option("--format", typed->format, "table, json or csv (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->output, "write to this file");
  command->add_flag("--all", typed->all, "list every layer, not the ten slowest");
}

void add_explain(CommandList& commands) {
  const auto typed = std::make_shared<TypedExplain>();
  CLI::App* command = commands.add("explain", "Show every number behind one layer's time, equation by equation",
                                   "rooftile explain alexnet --layer conv1 --gpu titan-xp --batch-size 256",
                                   [typed] { return run_explain(*typed); });
  command->add_option("MODEL", typed->model, "as for predict");
  command->add_option("--layer", typed->layer, "the layer's name, or a part that only one has");
  command->add_option("--pass", typed->prediction.pass, "fwd (default), bwd_data or bwd_weight");
  add_prediction_options(command, typed->prediction, "catalogue id, an unambiguous part of one, or a .toml file");
}

}  // namespace rooftile::cli
