#include "rooftile/cli/prediction_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/script.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/input_shape.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kPredictionGroup = "Prediction";

tl::unexpected<Error> bad(const std::string& option, std::string message) {
  return fail(ErrorCode::usage, std::move(message), option);
}

Result<void> check_fitted(const PredictionArguments& prediction) {
  if (prediction.largest_batch) return bad("--batch-size", "a fitted model needs a number");
  if (prediction.feeding) return bad("--host", "a fitted model's times have their own host in them");
  if (prediction.run.autocast || prediction.run.execution != Execution::eager) {
    return bad("--method", "a fitted model knows no --execution and mixed precision");
  }
  for (const std::string& key : setting_names()) {
    const bool of_columns = key == "seq-len" || key == "context" || key == "framework";
    if (!of_columns && prediction.set.named.contains(key))
      return bad("--set", fmt::format("{} cannot be used with a fitted model", key));
  }
  return {};
}

// Other methods than rooftile know neither kernels nor a host, and a roofline not even tiles: what says something of
// them would change nothing.
Result<void> check_method(const PredictionArguments& prediction) {
  const Settings& set = prediction.set;
  const Method method = prediction.method.method;
  if (method == Method::rooftile) return {};
  for (const char* key : {"algorithm", "framework", "host"}) {
    if (set.named.contains(key)) return bad("--set", fmt::format("{} is for --method rooftile", key));
  }
  if (method != Method::roofline) return {};
  for (const char* key : {"tile", "active-ctas"}) {
    if (set.named.contains(key)) return bad("--set", fmt::format("{} plays no part in --method roofline", key));
  }
  return {};
}

// What plays a part only where gradients are computed, or weights updated.
Result<void> check_phase(const PredictionArguments& prediction, Phase phase) {
  if (prediction.set.recompute != Recompute::none && phase == Phase::fwd) {
    return bad("--set", "recompute is for --pass training");
  }
  if (phase == Phase::step) return {};
  for (const char* key : {"optimizer", "accumulate", "clip", "loss"}) {
    if (prediction.set.named.contains(key)) return bad("--set", fmt::format("{} is for --pass training", key));
  }
  return {};
}

// Whether there is anything for batch-norm=restored to put back, or it stands there already.
Result<void> check_batch_norms(const Workload& workload) {
  const bool any = std::any_of(workload.ops.begin(), workload.ops.end(), [](const Op& op) {
    const auto* norm = std::get_if<Normalize>(&op.kind);
    return norm != nullptr && norm->function == "batch";
  });
  if (any) return {};
  return bad("--set", fmt::format("batch-norm: no batch norms were folded into convolutions of {}", workload.name));
}

// "TensorFlow" of "TensorFlow 1.1 cuda 8.0".
std::string_view first_word(std::string_view name) { return name.substr(0, name.find_first_of(" /;")); }

// Any release of a framework that a calibration or a rule knows; another name is a slip, and would change nothing.
Result<void> check_framework(const std::string& name, const Calibration& calibration) {
  if (name.empty()) return {};
  std::vector<std::string> known(frameworks_with_rules().begin(), frameworks_with_rules().end());
  for (const Harness& harness : calibration.harnesses) known.push_back(harness.framework);
  for (const HostCosts& host : builtin_calibration().hosts) known.push_back(host.framework);
  const bool of_one = std::any_of(known.begin(), known.end(),
                                  [&](const std::string& one) { return first_word(one) == first_word(name); });
  if (of_one) return {};
  return fail(ErrorCode::not_found, fmt::format("no constants for framework '{}'{}", name, did_you_mean(name, known)),
              "--set");
}

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
      "catalogue ids, unambiguous parts of them, or .toml files");
}

CLI::Option* add_batch_size(CLI::App* app, std::optional<std::int64_t>& batch_size) {
  return add_count(app, "-b,--batch-size", batch_size, kMaxDimension,
                   "samples per batch (default: the model's own, else 1)");
}

CLI::Option* add_input_sizes(CLI::App* app, InputSizes& sizes) {
  return app
      ->add_option_function<std::vector<std::string>>(
          "--shape",
          [&sizes](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto added = add_input_size(text, sizes);
              if (!added) throw OptionError({added.error().code, added.error().message, "--shape"});
            }
          },
          "height and width of images (default: the model's own, else 224), or of an ONNX model a dimension that it "
          "leaves open or the shape of an input, by name; repeatable")
      ->allow_extra_args(false)
      ->type_name("N|DIM=N|INPUT=NxCxHxW");
}

CLI::Option* add_precision(CLI::App* app, std::optional<DType>& precision) {
  return add_value(
      app, "--precision", precision, "fp32|tf32|fp16|bf16|fp8|int8|int4",
      [](const std::string& option, const std::string& text) { return parse_precision(option, text); },
      "one that the GPU computes in, or can store and widen; delta and prior take fp32 only (default: fp32)");
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
          "one that the GPU computes in, or can store and widen; amp-…: mixed precision as PyTorch's autocast; delta "
          "and prior take fp32 only (default: fp32, or that of weights in fp16 or bf16)")
      ->type_name("fp32|tf32|fp16|bf16|fp8|int8|int4|amp-fp16|amp-bf16");
}

CLI::Option* add_execution(CLI::App* app, Execution& execution) {
  return add_value(
      app, "--execution", execution, "eager|compiled|engine",
      [](const std::string& option, const std::string& text) -> Result<Execution> {
        return *parse_execution(TRY(parse_choice(option, text, execution_names())));
      },
      "how the framework runs the network (default: eager)");
}

CLI::Option* add_pass(CLI::App* app, std::optional<Phase>& phase) {
  return add_value(
      app, "--pass", phase, "inference|training|step|fwd|bwd|fwd_bwd|bwd_data|bwd_weight",
      [](const std::string& option, const std::string& text) -> Result<Phase> {
        if (const auto parsed = parse_phase(lower_case(text))) return *parsed;
        return tl::unexpected(parse_choice(option, text, phase_names()).error());
      },
      "training or step: forward, gradients, update; inference or fwd: forward alone (default, but all of a captured "
      "step)");
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

}  // namespace

namespace {

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
  std::vector<CLI::Option*> options = {size,
                                       add_run_precision(app, prediction),
                                       add_pass(app, prediction.phase),
                                       add_method(app, prediction.method, fitted),
                                       add_execution(app, prediction.run.execution),
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

Result<void> complete(PredictionArguments& prediction) {
  const MethodArgument& method = prediction.method;
  Settings& set = prediction.set;
  if (!method.fitted.empty()) return check_fitted(prediction);
  if (!set.columns.empty()) {
    const std::vector<std::string> known = setting_names();
    const std::string& key = set.columns.begin()->first;
    return bad("--set", fmt::format("unknown key '{}'{}", one_line(key), one_of(key, known)));
  }
  TRY(check_method(prediction));
  prediction.calibration = TRY(read_constants(method.constants));
  return check_framework(set.framework, prediction.calibration ? *prediction.calibration : builtin_calibration());
}

PredictOptions predict_options(const PredictionArguments& arguments) {
  PredictOptions options;
  options.method = arguments.method.method;
  options.prior_miss_rate = arguments.method.prior_miss_rate;
  options.precision = arguments.precision.value_or(DType::fp32);
  options.weights = arguments.set.weights;
  options.plan = arguments.set.plan;
  options.framework = arguments.set.framework;
  options.execution = arguments.run.execution;
  options.autocast = arguments.run.autocast;
  options.nhwc = arguments.set.nhwc;
  options.cuda_graphs = arguments.set.cuda_graphs;
  options.host = arguments.set.host;
  options.unrolled_cells = arguments.set.unrolled_cells;
  options.optimizer = arguments.set.optimizer.value_or(Optimizer::sgd);
  options.loss = arguments.set.loss;
  options.clip_gradients = arguments.set.clip_gradients;
  options.micro_batches = arguments.set.micro_batches;
  options.recompute = arguments.set.recompute;
  options.feeding = arguments.feeding.get();
  options.calibration = arguments.calibration.get();
  return options;
}

ModelOptions model_options(const PredictionArguments& arguments) {
  return with_sizes({.batch_size = arguments.batch_size,
                     .seq_len = arguments.set.seq_len,
                     .skip_unsupported = arguments.skip_unsupported,
                     .restore_batch_norms = arguments.set.restore_batch_norm,
                     .context = arguments.set.context},
                    arguments.sizes);
}

ModelOptions with_sizes(ModelOptions options, const InputSizes& sizes) {
  options.image_size = sizes.image_size;
  options.shapes = sizes.shapes;
  options.dims = sizes.dims;
  return options;
}

Phase phase_of(const PredictionArguments& arguments, const Workload& workload) {
  if (arguments.phase) return *arguments.phase;
  return workload.captured && trains(*workload.captured) ? Phase::step : Phase::fwd;
}

namespace {

Result<Workload> load_script(const std::string& script, const PredictionArguments& arguments) {
  const auto step = TRY(capture_script(script));
  return parse_workload_json(step, script, arguments.batch_size);
}

}  // namespace

Result<Workload> as_network(Workload workload, const PredictionArguments& arguments, PredictOptions& options) {
  TRY(check_phase(arguments, phase_of(arguments, workload)));
  if (arguments.set.restore_batch_norm) TRY(check_batch_norms(workload));
  if (workload.captured) {
    run_as_captured(*workload.captured, arguments.precision.has_value(), options);
    return workload;
  }
  const auto stored = stored_precision(workload);
  const bool any = options.method == Method::rooftile || options.method == Method::roofline;
  if (arguments.precision || !stored || !any) return workload;
  options.precision = *stored;
  workload.notes.push_back(
      fmt::format("{0} throughout, as the model's weights are stored (--precision names another)", name_of(*stored)));
  return workload;
}

Result<Workload> load_workload(const std::string& model, const PredictionArguments& arguments) {
  if (is_script(model) && arguments.largest_batch) return bad("--batch-size", "a script has its own batch size");
  return is_script(model) ? load_script(model, arguments) : load_model(model, model_options(arguments));
}

Result<Workload> load_network(const std::string& model, const PredictionArguments& arguments, PredictOptions& options) {
  return as_network(TRY(load_workload(model, arguments)), arguments, options);
}

void write_notes(const Workload& workload) {
  for (const std::string& note : workload.notes) write_error(fmt::format("{}: {}", workload.name, note));
}

Result<std::shared_ptr<const Calibration>> read_constants(const std::string& path) {
  if (path.empty()) return std::shared_ptr<const Calibration>();
  const auto text = TRY(read_text_file(path, kMaxTomlFile));
  auto calibration = TRY(parse_calibration(text, path));
  return std::make_shared<const Calibration>(completed(std::move(calibration)));
}

Result<Gpu> gpu_of_option(const std::string& selector, const std::string& option) {
  auto gpu = find_gpu(selector);
  if (!gpu && gpu.error().where.empty()) gpu.error().where = option;
  return gpu;
}

namespace {

bool is_file(const std::string& selector) { return selector.ends_with(".toml"); }

}  // namespace

Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors) {
  std::vector<Gpu> gpus;
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    gpus.push_back(TRY(gpu_of_option(selectors[i])));
    for (std::size_t other = 0; other < i; ++other) {
      // A file may be a variant of a GPU in the catalogue, under its id.
      const bool file = selectors[i] != selectors[other] && (is_file(selectors[i]) || is_file(selectors[other]));
      if (!file && gpus[other].id == gpus[i].id) return bad("--gpu", fmt::format("{} is named twice", gpus[i].id));
    }
  }
  return gpus;
}

}  // namespace rooftile::cli
