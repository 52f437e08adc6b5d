// rooftile scaling: the study of the DeLTA paper over any workload and GPU.
#include <cstdint>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/explore_preparation.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/explore/scaling.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

struct ScalingArguments {
  std::string model = "resnet152";
  PredictionArguments prediction;
  bool all_layers = false;
  std::string folder;  // empty: what is printed alone
  Format format = Format::table;
};

Result<void> run(ScalingArguments& arguments) {
  PredictionArguments& prediction = arguments.prediction;
  TRY(complete(prediction));
  const auto gpu = TRY(gpu_of_option(prediction.gpus.front()));
  auto workload =
      TRY(load({.model = arguments.model, .batch_size = {}, .convolutions_only = !arguments.all_layers}, prediction));
  const PredictOptions predicted = predict_options(prediction);
  const auto rows = TRY(scaling_study(gpu, workload, predicted));
  const std::string what = fmt::format("The options of Table 16a over {}: {} of {} at batch {}, method {}", gpu.id,
                                       arguments.all_layers ? "all layers" : "convolutions", workload.workload.name,
                                       workload.workload.batch_size, label_of(predicted));
  TRY(prepare_folder(arguments.folder));
  if (!arguments.folder.empty()) {
    const auto write = [&](const char* name, const std::string& text) {
      return write_output((std::filesystem::path(arguments.folder) / name).string(), text);
    };
    TRY(write("scaling.csv", scaling_csv(rows)));
    TRY(write("scaling.svg", scaling_svg(what, rows)));
  }
  switch (arguments.format) {
    case Format::json:
      return write_output("", scaling_json(what, rows));
    case Format::csv:
      return write_output("", scaling_csv(rows));
    default:
      return write_output("", scaling_table(what, rows, page_width("")));
  }
}

}  // namespace

void add_scaling(CommandList& commands) {
  auto [app, arguments] = commands.add<ScalingArguments>(
      "scaling", "The nine scaled GPUs of the DeLTA paper's Table 16a, for any network and GPU",
      "rooftile scaling vgg16 --gpu v100-delta -o scaling", run);
  constexpr std::int64_t kBatch = 256;  // the paper's
  PredictionArguments& prediction = arguments.prediction;
  prediction.gpus = {"titan-xp-delta"};
  prediction.batch_size = kBatch;
  prediction.method.method = Method::delta;
  add_model(app, arguments.model)->description("as for predict (default: resnet152)");
  app->add_flag("--all-layers", arguments.all_layers, "include layers other than convolutions");
  add_gpu(app, prediction.gpus)->description("the GPU to scale (default: titan-xp-delta)");
  add_batch_size(app, prediction.batch_size)->description("samples per batch (default: 256)");
  add_input_sizes(app, prediction.sizes);
  add_method(app, prediction.method)->description("delta (default), or as for predict");
  add_precision(app, prediction.precision);
  add_folder(app, "-o,--output", arguments.folder, "folder for CSV and SVG files");
  add_print_format(app, arguments.format);
}

}  // namespace rooftile::cli
