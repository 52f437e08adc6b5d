#include "rooftile/cli/prediction_options.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/gpu/catalogue.hpp"
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
  } else if (key == "algorithm") {
    TRY(check_choice(option, value, algorithm_names(), {}));
    set.plan.algorithm = value;
  } else if (key == "tile") {
    set.plan.tile = TRY(parse_tile(option, value));
  } else if (key == "active-ctas") {
    constexpr std::int64_t kMost = 1024;
    set.plan.active_ctas_per_sm = static_cast<int>(TRY(parse_count(option, value, kMost)));
  } else if (key == "framework") {
    set.framework = value;
  } else {
    set.columns[key] = value;
  }
  return {};
}

Result<void> check_fitted(const PredictionArguments& prediction) {
  const Settings& set = prediction.set;
  if (set.plan.algorithm || set.plan.tile || set.plan.active_ctas_per_sm) {
    return bad("--set", "algorithm, tile and active-ctas cannot be used with a fitted model");
  }
  return {};
}

// A framework whose calls no calibration knows would change nothing.
Result<void> check_framework(const std::string& name, const Calibration& calibration) {
  if (name.empty()) return {};
  std::vector<std::string> known;
  for (const Harness& harness : calibration.harnesses) {
    if (harness.framework == name) return {};
    known.push_back(harness.framework);
  }
  return fail(ErrorCode::not_found, fmt::format("no constants for framework '{}'{}", name, did_you_mean(name, known)),
              "--set");
}

}  // namespace

CLI::Option* add_model(CLI::App* app, std::string& model) {
  return add_text(app, "MODEL", model, "MODEL",
                  "an .onnx file, a workload .json, a name from 'rooftile models list', or - (standard input)");
}

CLI::Option* add_gpu(CLI::App* app, std::vector<std::string>& gpus) {
  return add_value(
      app, "--gpu", gpus, "ID",
      [](const std::string& option, const std::string& text) -> Result<std::vector<std::string>> {
        if (text.find(',') != std::string::npos) return bad(option, "takes one GPU here");
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

CLI::Option* add_precision(CLI::App* app, std::optional<DType>& precision) {
  return add_value(
      app, "--precision", precision, "fp32|tf32|fp16|bf16|fp8|int8",
      [](const std::string& option, const std::string& text) { return parse_precision(option, text); },
      "must be supported by the GPU (default: fp32); delta and prior: fp32 only");
}

CLI::Option* add_pass(CLI::App* app, Phase& phase) {
  return add_value(
      app, "--pass", phase, "inference|training|fwd|bwd|fwd_bwd|bwd_data|bwd_weight",
      [](const std::string& option, const std::string& text) -> Result<Phase> {
        if (const auto parsed = parse_phase(text)) return *parsed;
        return tl::unexpected(check_choice(option, text, phase_names(), {}).error());
      },
      "training: forward, gradients, update (default: inference)");
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
                if (auto result = set_one("--set", key, value, set); !result) {
                  throw OptionError(result.error());
                }
              }
            }
          },
          "details of the run: seq-len, framework; for convolutions and GEMMs also algorithm, tile (128x64x4), "
          "active-ctas; for a fitted model its own columns")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE,…");
}

CLI::Option* add_method(CLI::App* app, MethodArgument& method, Fitted fitted) {
  const bool fits = fitted == Fitted::yes;
  return add_value(
      app, "--method", method, fits ? "METHOD|FITTED" : "METHOD",
      [fits](const std::string& option, const std::string& text) { return parse_method(option, text, fits); },
      fmt::format("rooftile (default), rooftile=FILE.toml (constants from 'fit'), delta, roofline, prior[=RATE]{}",
                  fits ? "; or a fitted model: a name, or FILE.json from 'fit'" : ""));
}

void add_prediction_options(CLI::App* app, PredictionArguments& prediction, Fitted fitted) {
  for (CLI::Option* option : {add_batch_size(app, prediction.batch_size), add_precision(app, prediction.precision),
                              add_pass(app, prediction.phase), add_method(app, prediction.method, fitted),
                              add_set(app, prediction.set), add_skip_unsupported(app, prediction.skip_unsupported)}) {
    option->group(kPredictionGroup);
  }
}

Result<void> complete(PredictionArguments& prediction) {
  const MethodArgument& method = prediction.method;
  Settings& set = prediction.set;
  if (!method.fitted.empty()) return check_fitted(prediction);
  if (!set.columns.empty()) {
    const std::vector<std::string> known = {"seq-len", "framework", "algorithm", "tile", "active-ctas"};
    const std::string& key = set.columns.begin()->first;
    return bad("--set", fmt::format("unknown key '{}'{}; one of {}", one_line(key), did_you_mean(key, known),
                                    fmt::join(known, ", ")));
  }
  if (method.method != Method::rooftile && (set.plan.algorithm || !set.framework.empty())) {
    return bad("--set", fmt::format("{} is for --method rooftile", set.plan.algorithm ? "algorithm" : "framework"));
  }
  prediction.calibration = TRY(read_constants(method.constants));
  return check_framework(set.framework, prediction.calibration ? *prediction.calibration : builtin_calibration());
}

PredictOptions predict_options(const PredictionArguments& arguments) {
  PredictOptions options;
  options.method = arguments.method.method;
  options.prior_miss_rate = arguments.method.prior_miss_rate;
  options.precision = arguments.precision.value_or(DType::fp32);
  options.plan = arguments.set.plan;
  options.framework = arguments.set.framework;
  options.calibration = arguments.calibration.get();
  return options;
}

ModelOptions model_options(const PredictionArguments& arguments) {
  return {.batch_size = arguments.batch_size,
          .seq_len = arguments.set.seq_len,
          .skip_unsupported = arguments.skip_unsupported};
}

Result<std::shared_ptr<const Calibration>> read_constants(const std::string& path) {
  if (path.empty()) return std::shared_ptr<const Calibration>();
  const auto text = TRY(read_text_file(path, kMaxTomlFile));
  auto calibration = TRY(parse_calibration(text, path));
  return std::make_shared<const Calibration>(completed(std::move(calibration)));
}

Result<Gpu> gpu_of_option(const std::string& selector) {
  auto gpu = find_gpu(selector);
  if (!gpu && gpu.error().where.empty()) gpu.error().where = "--gpu";
  return gpu;
}

Result<std::vector<Gpu>> gpus_of_option(const std::vector<std::string>& selectors) {
  std::vector<Gpu> gpus;
  for (const std::string& selector : selectors) gpus.push_back(TRY(gpu_of_option(selector)));
  return gpus;
}

}  // namespace rooftile::cli
