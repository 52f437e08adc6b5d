// The options that decide a prediction, shared by the commands that make one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/cli/settings.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/input_shape.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile::cli {

// --method: one of the program's own, with what it takes behind an equals sign, or a fitted model.
struct MethodArgument {
  Method method = Method::rooftile;
  double prior_miss_rate = 1;  // of "prior=RATE"
  std::string constants;       // the file of "rooftile=FILE"; empty: those that ship with the program
  std::string fitted;          // a fitted model in place of a method: its name or file; empty: none
};

// How a network is run.
struct RunArguments {
  std::optional<Execution> execution;  // none: execution_of()
  bool autocast = false;               // of --precision amp-…
};

struct PredictionArguments {
  std::vector<std::string> gpus;
  std::optional<std::int64_t> batch_size;
  InputSizes sizes;
  bool largest_batch = false;  // that fits the GPU: --batch-size max, where a command takes it
  std::optional<DType> precision;
  RunArguments run;
  std::optional<Phase> phase;  // phase_of()
  bool skip_unsupported = false;
  MethodArgument method;
  Settings set;
  std::shared_ptr<const Feeding> feeding;          // of --host; null: none
  std::shared_ptr<const Calibration> calibration;  // of complete(): null: what ships with the program
};

// --- the options, each where it is of use ----------------------------------------------------------------------------

CLI::Option* add_model(CLI::App* app, std::string& model);
CLI::Option* add_gpu(CLI::App* app, std::vector<std::string>& gpus);   // one
CLI::Option* add_gpus(CLI::App* app, std::vector<std::string>& gpus);  // several with commas
CLI::Option* add_batch_size(CLI::App* app, std::optional<std::int64_t>& batch_size);
CLI::Option* add_input_sizes(CLI::App* app, InputSizes& sizes);  // --shape
CLI::Option* add_precision(CLI::App* app, std::optional<DType>& precision);
// The same and mixed precision, for networks.
CLI::Option* add_run_precision(CLI::App* app, PredictionArguments& prediction);
Result<RunPrecision> parse_run_precision_option(const std::string& option, const std::string& text);
CLI::Option* add_execution(CLI::App* app, std::optional<Execution>& execution, std::string_view usual = "eager");
CLI::Option* add_pass(CLI::App* app, std::optional<Phase>& phase);
CLI::Option* add_skip_unsupported(CLI::App* app, bool& skip);
CLI::Option* add_host(CLI::App* app, std::shared_ptr<const Feeding>& feeding);

enum class Fitted { no, yes };  // whether --method takes a fitted model, too
CLI::Option* add_method(CLI::App* app, MethodArgument& method, Fitted fitted = Fitted::no);

enum class Batch { number, number_or_max };  // whether --batch-size takes "max", too

// All but --gpu and, for what is said of kernels, --host.
std::vector<CLI::Option*> add_kernel_options(CLI::App* app, PredictionArguments& prediction);

// All but --gpu.
std::vector<CLI::Option*> add_prediction_options(CLI::App* app, PredictionArguments& prediction,
                                                 Fitted fitted = Fitted::no, Batch batch = Batch::number);

// --- what they mean --------------------------------------------------------------------------------------------------

// Reads the file of "rooftile=FILE", and checks what the options say together. Errors: wrong usage, an unknown
// framework, what is wrong with the file.
Result<void> complete(PredictionArguments& prediction);

// They point at the calibration of the arguments, which are complete.
PredictOptions predict_options(const PredictionArguments& arguments);

// How the model is to be loaded.
ModelOptions model_options(const PredictionArguments& arguments);
ModelOptions with_sizes(ModelOptions options, const InputSizes& sizes);

// The phase asked for, else all of a captured step and inference of anything else.
Phase phase_of(const PredictionArguments& arguments, const Workload& workload);

// The network. Where no --precision was given, `options` and a note get that of its weights; of a captured step they
// get how it was run. Errors: those of load_model(); options that the network or its phase would ignore.
Result<Workload> load_network(const std::string& model, const PredictionArguments& arguments, PredictOptions& options);
// The two parts of that: whatever the precision, and of a workload that was read by this or other means.
Result<Workload> load_workload(const std::string& model, const PredictionArguments& arguments);
Result<Workload> as_network(Workload workload, const PredictionArguments& arguments, PredictOptions& options);
// All of the latter where a precision was given: the workload stays as it is.
Result<void> set_network_options(const Workload& workload, const PredictionArguments& arguments,
                                 PredictOptions& options);

// Its notes on standard error, for reports that do not have them.
void write_notes(const Workload& workload);

// What the file of constants says; null without one.
Result<std::shared_ptr<const Calibration>> read_constants(const std::string& path);

}  // namespace rooftile::cli
