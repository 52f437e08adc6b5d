// rooftile support: which operators of a model are predicted, and how.
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/script.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/names.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

struct SupportArguments {
  std::string model;
  InputSizes sizes;
  RunArguments run;
  OutputArguments output;
};

Result<Workload> load(const SupportArguments& arguments) {
  if (!is_script(arguments.model)) {
    return load_model(arguments.model, with_sizes({.skip_unsupported = true}, arguments.sizes));
  }
  return parse_workload_json(TRY(capture_script(arguments.model)), arguments.model);
}

// For programs.
Result<void> write_support(const OutputArguments& output, const std::string& model,
                           std::span<const LayerEstimate> layers, const std::vector<Skipped>& unsupported) {
  return write_output(output.file, output.format == Format::csv ? support_csv(layers, unsupported)
                                                                : support_json(model, layers, unsupported));
}

Result<void> run(SupportArguments& arguments) {
  const OutputArguments& output = arguments.output;
  const auto workload = load(arguments);
  if (!workload) {
    // Shapes behind an unknown operator are unknown too, so there may be nothing to predict; the list is still the
    // answer. Standard input is read only once.
    const auto unsupported = arguments.model == "-"
                                 ? std::vector<Skipped>()
                                 : unsupported_operators(arguments.model).value_or(std::vector<Skipped>());
    if (unsupported.empty()) return tl::unexpected(workload.error());
    if (output.format != Format::table) return write_support(output, arguments.model, {}, unsupported);
    return write_output(output.file, fmt::format("{}: cannot be predicted, operators are not supported: {}\n",
                                                 arguments.model, list_of(unsupported)));
  }
  write_notes(*workload);
  // Which method serves an operator does not depend on the GPU, so any one with every precision will do.
  const auto gpu = TRY(find_gpu("h100-sxm5-80gb"));
  PredictOptions options{.execution = arguments.run.execution.value_or(Execution::eager)};
  if (workload->captured) run_as_captured(*workload->captured, false, options);
  const auto prediction = TRY(predict(*workload, gpu, options, phase_of({}, *workload)));
  if (output.format != Format::table) {
    return write_support(output, prediction.model, prediction.layers, prediction.unsupported);
  }
  return write_output(output.file, support_report(prediction, page_width(output.file)));
}

}  // namespace

void add_support(CommandList& commands) {
  auto [app, arguments] = commands.add<SupportArguments>(
      "support", "Show which of a model's operators are predicted, and how", "rooftile support model.onnx", run);
  add_model(app, arguments.model)->required();
  add_input_sizes(app, arguments.sizes);
  add_execution(app, arguments.run.execution);
  add_output_options(app, arguments.output, {Format::table, Format::json, Format::csv});
}

}  // namespace rooftile::cli
