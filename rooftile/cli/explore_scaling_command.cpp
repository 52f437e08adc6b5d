// rooftile explore --scaling: the study of the DeLTA paper over any workload and GPU.
#include <cstdint>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/explore_preparation.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/explore/scaling.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {

Result<void> explore_scaling(const ExploreArguments& arguments) {
  constexpr std::int64_t kBatch = 256;  // the paper's
  PredictionArguments prediction = arguments.prediction;
  if (!prediction.batch_size) prediction.batch_size = kBatch;
  const auto gpu = TRY(gpu_of_option(prediction.gpus.empty() ? "titan-xp-delta" : prediction.gpus.front()));
  const std::string model = arguments.space.empty() ? "resnet152" : arguments.space;
  auto workload = TRY(load({.model = model, .batch_size = {}, .convolutions_only = !arguments.all_layers}, prediction));
  const PredictOptions predicted = predict_options(prediction);
  const auto rows = TRY(scaling_study(gpu, workload, predicted));
  const std::string what = fmt::format("The options of Table 16a over {}: {} of {} at batch {}, method {}", gpu.id,
                                       arguments.all_layers ? "all layers" : "convolutions", workload.workload.name,
                                       workload.workload.batch_size, label_of(predicted));
  if (auto result = prepare_folder(arguments.folder); !result) return result;
  if (!arguments.folder.empty()) {
    const auto write = [&](const char* name, const std::string& text) {
      return write_output((std::filesystem::path(arguments.folder) / name).string(), text);
    };
    if (auto result = write("scaling.csv", scaling_csv(rows)); !result) return result;
    if (auto result = write("scaling.svg", scaling_svg(what, rows)); !result) return result;
  }
  return write_output("", scaling_table(what, rows));
}

}  // namespace rooftile::cli
