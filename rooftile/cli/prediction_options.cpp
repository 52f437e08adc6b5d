#include "rooftile/cli/prediction_options.hpp"

#include <algorithm>
#include <array>
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

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm algorithm : kAlgorithms) names.emplace_back(name_of(algorithm));
  return names;
}

// One KEY=VALUE of --set.
Result<void> set_one(const std::string& option, const std::string& key, const std::string& value, Settings& set) {
  if (key == "seq-len") {
    set.seq_len = TRY(parse_count(option, value, kMaxDimension));
  } else if (key == "context") {
    set.context = TRY(parse_count(option, value, kMaxDimension - 1));
  } else if (key == "algorithm") {
    set.plan.algorithm = TRY(parse_choice(option, value, algorithm_names()));
  } else if (key == "tile") {
    set.plan.tile = TRY(parse_tile(option, value));
  } else if (key == "active-ctas") {
    constexpr std::int64_t kMost = 1024;
    set.plan.active_ctas_per_sm = static_cast<int>(TRY(parse_count(option, value, kMost)));
  } else if (key == "framework") {
    set.framework = value;
  } else if (key == "host") {
    TRY(parse_choice(option, value, {"none"}));
    set.host = false;
  } else if (key == "cells") {
    TRY(parse_choice(option, value, {"unrolled"}));
    set.unrolled_cells = true;
  } else if (key == "loss") {
    TRY(parse_choice(option, value, {"none"}));
    set.loss = false;
  } else if (key == "clip") {
    TRY(parse_choice(option, value, {"norm"}));
    set.clip_gradients = true;
  } else if (key == "accumulate") {
    constexpr std::int64_t kMost = 1 << 20;
    set.micro_batches = TRY(parse_count(option, value, kMost));
  } else if (key == "weights") {
    set.weights = parse_dtype(TRY(parse_choice(option, value, weight_type_names())));
  } else if (key == "optimizer") {
    set.optimizer = parse_optimizer(TRY(parse_choice(option, value, optimizer_names())));
  } else {
    set.columns[key] = value;
  }
  return {};
}

Result<void> check_fitted(const PredictionArguments& prediction) {
  const RunArguments& run = prediction.run;
  if (prediction.largest_batch) return bad("--batch-size", "a fitted model needs a number");
  if (prediction.feeding) return bad("--host", "a fitted model's times have their own host in them");
  if (run.autocast || run.nhwc || run.cuda_graphs || run.recompute != Recompute::none ||
      run.execution != Execution::eager) {
    return bad("--method",
               "a fitted model knows no --execution, --layout, --recompute, --cuda-graphs and mixed precision");
  }
  for (const char* key :
       {"algorithm", "tile", "active-ctas", "host", "cells", "optimizer", "accumulate", "clip", "loss", "weights"}) {
    if (prediction.set.named.contains(key))
      return bad("--set", fmt::format("{} cannot be used with a fitted model", key));
  }
  return {};
}

// Other methods than rooftile know neither kernels nor a host, and a roofline not even tiles: what says something of
// them would change nothing.
Result<void> check_method(const PredictionArguments& prediction) {
  const Settings& set = prediction.set;
  const Method method = prediction.method.method;
  if (prediction.run.cuda_graphs && !set.host) return usage("--cuda-graphs is of a host, and --set host=none has none");
  if (method == Method::rooftile) return {};
  for (const char* key : {"algorithm", "framework", "host"}) {
    if (set.named.contains(key)) return bad("--set", fmt::format("{} is for --method rooftile", key));
  }
  if (prediction.run.cuda_graphs) return usage("--cuda-graphs is for --method rooftile");
  if (method != Method::roofline) return {};
  for (const char* key : {"tile", "active-ctas"}) {
    if (set.named.contains(key)) return bad("--set", fmt::format("{} plays no part in --method roofline", key));
  }
  return {};
}

// What plays a part only where gradients are computed, or weights updated.
Result<void> check_phase(const PredictionArguments& prediction, Phase phase) {
  if (prediction.run.recompute != Recompute::none && phase == Phase::fwd) {
    return usage("--recompute is for --pass training");
  }
  if (phase == Phase::step) return {};
  for (const char* key : {"optimizer", "accumulate", "clip", "loss"}) {
    if (prediction.set.named.contains(key)) return bad("--set", fmt::format("{} is for --pass training", key));
  }
  return {};
}

// Whether there is anything for --restore-batch-norm to put back, or it stands there already.
Result<void> check_batch_norms(const Workload& workload) {
  const bool any = std::any_of(workload.ops.begin(), workload.ops.end(), [](const Op& op) {
    const auto* norm = std::get_if<Normalize>(&op.kind);
    return norm != nullptr && norm->function == "batch";
  });
  if (any) return {};
  return bad("--restore-batch-norm", fmt::format("no batch norms were folded into convolutions of {}", workload.name));
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

namespace {

// NAME=VALUE, each name once; `read` makes a pair of the text.
template <class Value, class Read>
CLI::Option* add_named(CLI::App* app, const std::string& option, std::map<std::string, Value>& named,
                       const std::string& kind, Read read, const std::string& help) {
  return app
      ->add_option_function<std::vector<std::string>>(
          option,
          [&named, option, read](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              auto pair = read(text);
              if (!pair) throw OptionError({pair.error().code, pair.error().message, option});
              const std::string name = pair->first;
              if (named.insert(*std::move(pair)).second) continue;
              throw OptionError({ErrorCode::usage, fmt::format("'{}' is given twice", one_line(name)), option});
            }
          },
          help)
      ->allow_extra_args(false)
      ->type_name(kind);
}

}  // namespace

std::vector<CLI::Option*> add_input_sizes(CLI::App* app, InputSizes& sizes) {
  return {add_named(app, "--shape", sizes.shapes, "INPUT=NxCxHxW", parse_input_shape,
                    "shape of an ONNX model's input, by name; repeatable"),
          add_named(app, "--dim", sizes.dims, "NAME=N", parse_open_dimension,
                    "a dimension that an ONNX model leaves open, by name; repeatable"),
          add_count(app, "--image-size", sizes.image_size, kMaxDimension,
                    "height and width of images (default: the model's own, else 224)")};
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

std::vector<CLI::Option*> add_run_options(CLI::App* app, RunArguments& run) {
  return {add_value(
              app, "--layout", run.nhwc, "nchw|nhwc",
              [](const std::string& option, const std::string& text) -> Result<bool> {
                return TRY(parse_choice(option, text, {"nchw", "nhwc"})) == "nhwc";
              },
              "of the maps of convolutions (default: nchw)"),
          add_value(
              app, "--recompute", run.recompute, "none|selective|full",
              [](const std::string& option, const std::string& text) -> Result<Recompute> {
                return *parse_recompute(TRY(parse_choice(option, text, recompute_names())));
              },
              "activations that training recomputes instead of keeping them (default: none)"),
          app->add_flag("--restore-batch-norm", run.restore_batch_norm,
                        "put back batch norms that an exporter folded into convolutions"),
          app->add_flag("--cuda-graphs", run.cuda_graphs, "launches are recorded once and replayed")};
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

CLI::Option* add_set(CLI::App* app, Settings& set) {
  return app
      ->add_option_function<std::vector<std::string>>(
          "--set",
          [&set](const std::vector<std::string>& given) {
            for (const std::string& text : given) {
              const auto pairs =
                  read_option<std::vector<std::pair<std::string, std::string>>>("--set", text, parse_pairs);
              for (const auto& [key, value] : pairs) {
                if (!set.named.insert(key).second) {
                  throw OptionError({ErrorCode::usage, fmt::format("'{}' is given twice", one_line(key)), "--set"});
                }
                if (auto result = set_one("--set", key, value, set); !result) {
                  throw OptionError(result.error());
                }
              }
            }
          },
          "details of the run: seq-len, context (decodes one position after so many), framework, weights (of products: "
          "fp8, int8, int4, q8_0, q4_0, q4_k_m), host=none (the GPU alone), cells=unrolled (recurrent layers step by "
          "step); in training optimizer, accumulate "
          "(micro-batches), clip=norm, loss=none; for convolutions and GEMMs also algorithm, tile (128x64x4), "
          "active-ctas; for a fitted model its own columns")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE,…");
}

std::vector<std::string> setting_names() {
  return {"seq-len", "context", "framework", "host",      "cells", "optimizer",  "accumulate",
          "clip",    "loss",    "weights",   "algorithm", "tile",  "active-ctas"};
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
      app, "--host", feeding, "HOST|FILE[,feed=KIND]", parse_feeding,
      fmt::format("machine that decodes, tokenises and copies the input, or plays the game: one of {}, or a "
                  ".toml file (default: input takes no time); feed: {}",
                  fmt::join(host_machine_ids(), ", "), fmt::join(feed_names(), ", ")));
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
  for (const auto& rare :
       {std::vector{add_skip_unsupported(app, prediction.skip_unsupported), add_host(app, prediction.feeding)},
        add_input_sizes(app, prediction.sizes), add_run_options(app, prediction.run)}) {
    add_rare(app, rare);
    options.insert(options.end(), rare.begin(), rare.end());
  }
  return options;
}

std::vector<CLI::Option*> add_kernel_options(CLI::App* app, PredictionArguments& prediction) {
  std::vector<CLI::Option*> options = add_prediction_options(app, prediction);
  for (const char* name : {"--host", "--cuda-graphs"}) {
    CLI::Option* option = app->get_option(name);
    std::erase(options, option);
    app->remove_option(option);
  }
  return options;
}

Result<void> check_no_host(const Settings& set, std::string_view command) {
  if (!set.named.contains("host")) return {};
  return bad("--set", fmt::format("host is not for {}: the host's launches play no part in it", command));
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

Result<void> check_keys(const Settings& set, std::string_view command, const std::vector<std::string>& known) {
  for (const std::string& key : set.named) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return bad("--set", fmt::format("{} does not take '{}'{}", command, one_line(key), one_of(key, known)));
  }
  return {};
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
  options.nhwc = arguments.run.nhwc;
  options.cuda_graphs = arguments.run.cuda_graphs;
  options.host = arguments.set.host;
  options.unrolled_cells = arguments.set.unrolled_cells;
  options.optimizer = arguments.set.optimizer.value_or(Optimizer::sgd);
  options.loss = arguments.set.loss;
  options.clip_gradients = arguments.set.clip_gradients;
  options.micro_batches = arguments.set.micro_batches;
  options.recompute = arguments.run.recompute;
  options.feeding = arguments.feeding.get();
  options.calibration = arguments.calibration.get();
  return options;
}

ModelOptions model_options(const PredictionArguments& arguments) {
  return with_sizes({.batch_size = arguments.batch_size,
                     .seq_len = arguments.set.seq_len,
                     .skip_unsupported = arguments.skip_unsupported,
                     .restore_batch_norms = arguments.run.restore_batch_norm,
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
  if (arguments.run.restore_batch_norm) TRY(check_batch_norms(workload));
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
