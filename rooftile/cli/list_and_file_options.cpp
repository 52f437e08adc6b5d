// The options of the small commands: gpus, models and support, which list; diff, strip and completion, which take and
// make files.
#include <memory>
#include <string>

#include <CLI/App.hpp>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/completion.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedGpus {
  std::string name, format;
  bool names = false;
};

Result<void> run_gpus(const TypedGpus& typed) {
  if (typed.names && !typed.name.empty()) return usage("--names lists all; 'show' shows one");
  const auto format = TRY(parse_format(typed.format, "", {Format::table, Format::json}));
  return gpus({.id = typed.name, .format = format, .names_only = typed.names});
}

struct TypedModels {
  std::string name, format;
  TypedPrediction prediction;  // of which the batch size alone
  bool names = false;
};

Result<void> run_models(const TypedModels& typed) {
  if (typed.names && !typed.name.empty()) return usage("--names lists all; 'show' shows one");
  const auto format = TRY(parse_format(typed.format, "", {Format::table, Format::json}));
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  return models({.name = typed.name, .format = format, .names_only = typed.names, .batch_size = prediction.batch_size});
}

void add_show(CLI::App* parent, std::string& name, const std::string& what, const std::string& help) {
  CLI::App* show = parent->add_subcommand("show", "Show one");
  show->add_option(what, name, help)->required();
  show->fallthrough();
  show->allow_extras();
}

}  // namespace

void add_gpus(CommandList& commands) {
  const auto typed = std::make_shared<TypedGpus>();
  CLI::App* command = commands.add("gpus", "List the GPUs, or show every number of one with its source",
                                   "rooftile gpus show v100-sxm2-16gb", [typed] { return run_gpus(*typed); });
  command->add_option("--format", typed->format, "table or json");
  command->add_flag("--names", typed->names, "ids alone, one a line");
  add_show(command, typed->name, "ID", "catalogue id, an unambiguous part of one, or a .toml file");
}

void add_models(CommandList& commands) {
  const auto typed = std::make_shared<TypedModels>();
  CLI::App* command = commands.add("models", "List the networks built in, or show the layers of one",
                                   "rooftile models show googlenet", [typed] { return run_models(*typed); });
  command->add_option("--format", typed->format, "table, or json: the workload, to keep or edit");
  command->add_option("-b,--batch-size", typed->prediction.batch_size, "samples a batch");
  command->add_flag("--names", typed->names, "names alone, one a line");
  add_show(command, typed->name, "NAME", "a name of 'rooftile models', an .onnx file or a workload .json");
}

void add_support(CommandList& commands) {
  const auto typed = std::make_shared<SupportArguments>();
  CLI::App* command = commands.add("support", "Show which of a model's operators are predicted, and how",
                                   "rooftile support model.onnx", [typed]() -> Result<void> {
                                     if (typed->model.empty()) return usage("support needs a MODEL");
                                     return cli::support(*typed);
                                   });
  command->add_option("MODEL", typed->model, "as for predict");
}

void add_diff(CommandList& commands) {
  const auto typed = std::make_shared<DiffArguments>();
  CLI::App* command = commands.add("diff", "Compare two predictions written as JSON",
                                   "rooftile diff before.json after.json", [typed]() -> Result<void> {
                                     if (typed->b.empty())
                                       return usage("diff needs two prediction files, A.json and B.json");
                                     return cli::diff(*typed);
                                   });
  command->add_option("A", typed->a, "a prediction, from predict --format json");
  command->add_option("B", typed->b, "another");
}

void add_strip(CommandList& commands) {
  const auto typed = std::make_shared<StripArguments>();
  CLI::App* command = commands.add("strip", "Copy an ONNX file without its weights, small enough to share",
                                   "rooftile strip resnet50.onnx -o resnet50-shapes.onnx", [typed]() -> Result<void> {
                                     if (typed->model.empty()) return usage("strip needs an ONNX file");
                                     if (typed->output.empty())
                                       return usage("strip needs -o FILE; - is standard output");
                                     return cli::strip(*typed);
                                   });
  command->add_option("MODEL", typed->model, "an .onnx file");
  command->add_option("-o,--output", typed->output, "write to this file");
}

void add_completion(CommandList& commands) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = commands.add("completion", "Print a completion script for a shell",
                                   "rooftile completion bash > ~/.local/share/bash-completion/completions/rooftile",
                                   [shell, &app = commands.app()]() -> Result<void> {
                                     if (shell->empty()) return usage("completion needs a SHELL: bash, zsh or fish");
                                     const auto script = TRY(completion_script(app, *shell));
                                     return write_output("", script);
                                   });
  command->add_option("SHELL", *shell, "bash, zsh or fish");
}

}  // namespace rooftile::cli
