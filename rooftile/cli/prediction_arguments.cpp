// What the options that decide a prediction mean, together.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/script.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

Result<void> check_fitted(const PredictionArguments& prediction) {
  if (prediction.largest_batch) return bad("--batch-size", "a fitted model needs a number");
  if (prediction.feeding) return bad("--host", "a fitted model's times have their own host in them");
  if (prediction.run.autocast || prediction.run.execution.value_or(Execution::eager) != Execution::eager) {
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

Result<void> check_norms(const PredictionArguments& prediction) {
  if (!prediction.set.named.contains("norms") || prediction.run.autocast) return {};
  return bad("--set", "norms is for --precision amp-fp16 and amp-bf16");
}

Result<void> check_cache(const Workload& workload, const PredictionArguments& prediction) {
  const auto reads_cache = [](const Op& op) {
    const auto* attention = std::get_if<Attention>(&op.kind);
    return attention != nullptr && attention->q_len < attention->kv_len;
  };
  if (!prediction.set.cache || std::any_of(workload.ops.begin(), workload.ops.end(), reads_cache)) return {};
  return bad("--set", fmt::format("kv-cache: {} reads no cache; context=N decodes after N positions", workload.name));
}

// What plays a part only where gradients are computed, or weights updated.
Result<void> check_phase(const PredictionArguments& prediction, Phase phase) {
  if (prediction.set.recompute != Recompute::none && phase == Phase::fwd) {
    return bad("--set", "recompute is for --pass training");
  }
  if (prediction.set.batch_norms == BatchNorms::folded && phase != Phase::fwd) {
    return bad("--set", "batch-norm=folded is for inference");
  }
  if (phase == Phase::step) return {};
  for (const char* key : {"optimizer", "accumulate", "clip", "loss"}) {
    if (prediction.set.named.contains(key)) return bad("--set", fmt::format("{} is for --pass training", key));
  }
  return {};
}

// Whether batch-norm= changes anything: restored needs norms to put back or in place, folded an eager run. load_model()
// rejects networks without norms to fold.
Result<void> check_batch_norms(const Workload& workload, const PredictionArguments& prediction, Execution execution) {
  if (prediction.set.batch_norms == BatchNorms::as_they_are) return {};
  if (prediction.set.batch_norms == BatchNorms::folded) {
    if (workload.captured) return bad("--set", "batch-norm=folded: a captured step runs as it is");
    if (execution == Execution::eager) return {};
    return bad("--set", "batch-norm=folded is for eager inference; compiled programs and engines fold them anyway");
  }
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
  options.expert_weights = arguments.set.expert_weights;
  options.cache = arguments.set.cache;
  options.plan = arguments.set.plan;
  options.framework = arguments.set.framework;
  options.execution = arguments.run.execution.value_or(Execution::eager);
  options.autocast = arguments.run.autocast;
  options.narrow_norms = arguments.set.narrow_norms;
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
                     .batch_norms = arguments.set.batch_norms,
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

// As asked, else as the framework runs inference; a captured step runs as it is.
Execution execution_of(const PredictionArguments& arguments, const Workload& workload) {
  if (arguments.run.execution) return *arguments.run.execution;
  const bool infers = !workload.captured && phase_of(arguments, workload) == Phase::fwd;
  return infers && is_engine(arguments.set.framework) ? Execution::engine : Execution::eager;
}

Result<Workload> load_script(const std::string& script, const PredictionArguments& arguments) {
  const auto step = TRY(capture_script(script));
  return parse_workload_json(step, script, arguments.batch_size);
}

}  // namespace

Result<void> set_network_options(const Workload& workload, const PredictionArguments& arguments,
                                 PredictOptions& options) {
  TRY(check_norms(arguments));
  TRY(check_cache(workload, arguments));
  TRY(check_phase(arguments, phase_of(arguments, workload)));
  options.execution = execution_of(arguments, workload);
  TRY(check_batch_norms(workload, arguments, options.execution));
  if (workload.captured) run_as_captured(*workload.captured, arguments.precision.has_value(), options);
  return {};
}

Result<Workload> as_network(Workload workload, const PredictionArguments& arguments, PredictOptions& options) {
  TRY(set_network_options(workload, arguments, options));
  if (workload.captured) return workload;
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

}  // namespace rooftile::cli
