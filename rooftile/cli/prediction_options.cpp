#include "rooftile/cli/prediction_options.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/ingest/input_shape.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kPredictionGroup = "Prediction";

}  // namespace

CLI::Option* add_model(CLI::App* app, std::string& model) {
  return add_text(app, "MODEL", model, "MODEL",
                  "an .onnx file, a workload .json, a transformer's .toml, a PyTorch script .py, a name from 'rooftile "
                  "models list', or - (standard input)");
}

CLI::Option* add_gpu(CLI::App* app, std::vector<std::string>& gpus) {
  return add_value(
      app, "--gpu", gpus, "ID",
      [](const std::string& option, const std::string& text) -> Result<std::vector<std::string>> {
        if (text.find(',') != std::string::npos) return usage(option + " takes one GPU here");
        return std::vector{text};
      },
      "catalogue id, an unambiguous part of one, or a .toml file");
}

CLI::Option* add_gpus(CLI::App* app, std::vector<std::string>& gpus) {
  return add_value(
      app, "--gpu", gpus, "ID,…",
      [](const std::string& option, const std::string& text) { return parse_list(option, text); },
      "catalogue ids, unambiguous parts of them, .toml files; all, vendor:amd, memory>=24GB");
}

CLI::Option* add_batch_size(CLI::App* app, std::optional<std::int64_t>& batch_size) {
  return add_count(app, "-b,--batch-size", batch_size, kMaxDimension,
                   "samples per batch (default: the model's own, else 1)");
}

CLI::Option* add_input_sizes(CLI::App* app, InputSizes& sizes) {
  return add_each(
      app, "--shape,--dim", "N|DIM=N|INPUT=NxCxHxW",
      [&sizes](const std::string& option, const std::string& text) -> Result<void> {
        const auto added = add_input_size(text, sizes);
        if (!added) return fail(added.error().code, added.error().message, option);
        return {};
      },
      "height and width of images (default: the model's own, else 224), or of an ONNX model a dimension that it "
      "leaves open or the shape of an input, by name; repeatable");
}

CLI::Option* add_precision(CLI::App* app, std::optional<DType>& precision) {
  return add_value(
      app, "--precision", precision, "fp32|tf32|fp16|bf16|fp8|nvfp4|mxfp4|int8|int4",
      [](const std::string& option, const std::string& text) { return parse_precision(option, text); },
      "what the GPU computes in, or stores and widens where it cannot; delta and prior take fp32 only (default: fp32)");
}

Result<RunPrecision> parse_run_precision_option(const std::string& option, const std::string& text) {
  if (const auto parsed = parse_run_precision(lower_case(text)); parsed && parsed->autocast) return *parsed;
  if (const auto dtype = parse_precision(option, text)) return RunPrecision{*dtype, false};
  std::vector<std::string> known = precision_names();
  known.insert(known.end(), {"amp-fp16", "amp-bf16"});
  return bad(option, fmt::format("unknown precision '{}'{}", one_line(text), one_of(text, known)));
}

CLI::Option* add_run_precision(CLI::App* app, PredictionArguments& prediction) {
  return app
      ->add_option_function<std::string>(
          "--precision",
          [&prediction](const std::string& text) {
            const auto read = read_option<RunPrecision>("--precision", text, parse_run_precision_option);
            prediction.precision = read.dtype;
            prediction.run.autocast = read.autocast;
          },
          "what the GPU computes in, or stores and widens where it cannot; amp-…: mixed precision, as PyTorch's "
          "autocast; delta and prior take fp32 only (default: fp32, or that of weights in fp16 or bf16)")
      ->type_name("fp32|tf32|fp16|bf16|fp8|nvfp4|mxfp4|int8|int4|amp-fp16|amp-bf16");
}

CLI::Option* add_execution(CLI::App* app, std::optional<Execution>& execution, std::string_view usual) {
  return add_value(
      app, "--execution", execution, "eager|compiled|engine",
      [](const std::string& option, const std::string& text) -> Result<Execution> {
        return *parse_execution(TRY(parse_choice(option, text, execution_names())));
      },
      fmt::format("how the framework runs the network (default: {})", usual));
}

CLI::Option* add_pass(CLI::App* app, std::optional<Phase>& phase) {
  return add_value(
      app, "--pass", phase, "inference|training|step|fwd|bwd|fwd_bwd|bwd_data|bwd_weight",
      [](const std::string& option, const std::string& text) -> Result<Phase> {
        if (const auto parsed = parse_phase(lower_case(text))) return *parsed;
        return tl::unexpected(parse_choice(option, text, phase_names()).error());
      },
      "training or step: forward, gradients, update; inference or fwd: forward alone (the default, except that a "
      "captured step runs whole)");
}

CLI::Option* add_skip_unsupported(CLI::App* app, bool& skip) {
  return app->add_flag("--skip-unsupported", skip, "leave out operators that are not supported, and list them");
}

CLI::Option* add_method(CLI::App* app, MethodArgument& method, Fitted fitted) {
  const bool fits = fitted == Fitted::yes;
  return add_value(
      app, "--method", method, fits ? "METHOD|FITTED" : "METHOD",
      [fits](const std::string& option, const std::string& text) { return parse_method(option, text, fits); },
      fmt::format("rooftile (default), rooftile=FILE.toml (constants from 'fit'), delta, roofline, prior[=RATE]{}",
                  fits ? "; or a fitted model: a name, or FILE.json from 'fit'" : ""));
}

namespace {

CLI::Option* add_batch_size_or_max(CLI::App* app, PredictionArguments& prediction) {
  return app
      ->add_option_function<std::string>(
          "-b,--batch-size",
          [&prediction](const std::string& text) {
            prediction.largest_batch = lower_case(text) == "max";
            if (prediction.largest_batch) return;
            prediction.batch_size = read_option<std::int64_t>("--batch-size", text,
                                                              [](const std::string& option, const std::string& value) {
                                                                return parse_count(option, value, kMaxDimension);
                                                              });
          },
          "samples per batch; max: as many as fit the GPU's memory (default: the model's own, else 1)")
      ->type_name("N|max");
}

// "xeon-e5-2680-v4-x2", "mine.toml,feed=images".
Result<std::shared_ptr<const Feeding>> parse_feeding(const std::string& option, const std::string& text) {
  constexpr std::string_view kFeed = "feed=";
  auto feeding = std::make_shared<Feeding>();
  std::string id;
  for (const std::string& part : TRY(parse_list(option, text))) {
    if (part.starts_with(kFeed)) {
      feeding->feed = parse_feed(TRY(parse_choice(option, part.substr(kFeed.size()), feed_names())));
    } else if (id.empty()) {
      id = part;
    } else {
      return bad(option, fmt::format("'{}' is neither the only host nor feed=KIND", one_line(part)));
    }
  }
  auto host = find_host_machine(id);
  if (!host && host.error().where.empty()) host.error().where = option;
  feeding->host = TRY(std::move(host));
  return feeding;
}

}  // namespace

CLI::Option* add_host(CLI::App* app, std::shared_ptr<const Feeding>& feeding) {
  return add_value(
      app, "--host", feeding, fmt::format("HOST|FILE|feed={},…", fmt::join(feed_names(), "/")), parse_feeding,
      fmt::format("machine that decodes, tokenises and copies the input, or plays the game: one of {}, or a "
                  ".toml file (default: input takes no time)",
                  fmt::join(host_machine_ids(), ", ")));
}

std::vector<CLI::Option*> add_prediction_options(CLI::App* app, PredictionArguments& prediction, Fitted fitted,
                                                 Batch batch) {
  CLI::Option* size =
      batch == Batch::number ? add_batch_size(app, prediction.batch_size) : add_batch_size_or_max(app, prediction);
  std::vector<CLI::Option*> options = {
      size,
      add_run_precision(app, prediction),
      add_pass(app, prediction.phase),
      add_method(app, prediction.method, fitted),
      add_execution(app, prediction.run.execution, "eager; inference in TensorRT and other engines: engine"),
      add_set(app, prediction.set)};
  for (CLI::Option* option : options) option->group(kPredictionGroup);
  const std::vector<CLI::Option*> rare = {add_skip_unsupported(app, prediction.skip_unsupported),
                                          add_host(app, prediction.feeding), add_input_sizes(app, prediction.sizes)};
  add_rare(app, rare);
  options.insert(options.end(), rare.begin(), rare.end());
  return options;
}

std::vector<CLI::Option*> add_kernel_options(CLI::App* app, PredictionArguments& prediction) {
  std::vector<CLI::Option*> options = add_prediction_options(app, prediction);
  CLI::Option* host = app->get_option("--host");
  std::erase(options, host);
  app->remove_option(host);
  return options;
}

}  // namespace rooftile::cli
