// rooftile sensitivity: what each resource of a GPU is worth to a network.
#include <cstddef>
#include <optional>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/explore/sensitivity.hpp"
#include "rooftile/report/sensitivity.hpp"

namespace rooftile::cli {

Result<void> show_sensitivity(const SensitivityArguments& arguments) {
  const PredictionArguments& given = arguments.prediction;
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  const auto gpu = TRY(gpu_of_option(given.gpus.front()));
  const PredictOptions options = predict_options(given);
  if (auto result = check(options); !result) return result;
  const auto workload = TRY(load_model(arguments.model, model_options(given)));
  std::optional<Progress> bar(std::in_place, "resources");
  const auto study = sensitivity(workload, gpu, options, given.phase,
                                 [&](std::size_t done, std::size_t all) { bar->show(done, all); });
  bar.reset();
  if (!study) return tl::unexpected(study.error());
  switch (format) {
    case Format::json:
      return write_output(arguments.output, sensitivity_json(*study));
    case Format::csv:
      return write_output(arguments.output, sensitivity_csv(*study));
    default:
      return write_output(arguments.output, sensitivity_table(*study, {.all_layers = arguments.all_layers}));
  }
}

}  // namespace rooftile::cli
