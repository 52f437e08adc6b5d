// rooftile roofline-study: a published study of one layer with one dimension varied at a time.
#include <string>
#include <utility>
#include <vector>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/roofline_options.hpp"
#include "rooftile/roofline/study.hpp"

namespace rooftile::cli {
namespace {

struct StudyArguments {
  roofline::Study study = roofline::Study::conv2d;
  PredictionArguments prediction;  // one GPU
  std::string measured;            // a layer table whose rows are added to the charts; empty: none
  RooflineOutput drawing;
};

Result<void> run(StudyArguments& arguments) {
  TRY(check_keys(arguments.prediction.set, "roofline-study",
                 {"framework", "weights", "algorithm", "tile", "active-ctas"}));
  TRY(complete(arguments.prediction));
  const auto gpu = TRY(gpu_of_option(arguments.prediction.gpus.front()));
  const auto chosen = TRY(choose_roof(arguments.drawing, gpu));
  const PredictOptions options = predict_options(arguments.prediction);
  auto view = TRY(roofline::study_view(arguments.study, gpu, chosen.roof, options,
                                       arguments.prediction.phase.value_or(Phase::fwd)));
  if (!arguments.measured.empty()) {
    const auto text = TRY(read_text_file(arguments.measured));
    auto measured = TRY(roofline::kernels_of_table(text, arguments.measured, gpu, chosen.roof, options.precision));
    view.profiles = {arguments.measured};
    roofline::add_measured_study(view, std::move(measured));
  }
  draw_under(chosen, view);
  return write_roofline(arguments.drawing, {&view, 1});
}

}  // namespace

void add_roofline_study(CommandList& commands) {
  auto [app, arguments] = commands.add<StudyArguments>(
      "roofline-study", "Reproduce a published roofline study, varying one dimension of a layer at a time",
      "rooftile roofline-study lstm --gpu v100-sxm2-16gb --measured rnn.csv", run);
  add_value(
      app, "STUDY", arguments.study, "conv2d|lstm",
      [](const std::string&, const std::string& text) { return roofline::parse_study(text); }, "conv2d or lstm")
      ->required();
  add_text(app, "--measured", arguments.measured, "FILE", "a layer table whose rows are added to the charts");
  PredictionArguments& prediction = arguments.prediction;
  add_gpu(app, prediction.gpus)->required()->group("Prediction");
  for (CLI::Option* option : {add_precision(app, prediction.precision), add_pass(app, prediction.phase),
                              add_method(app, prediction.method), add_set(app, prediction.set)}) {
    option->group("Prediction");
  }
  app->get_option("--set")->description("framework, weights, algorithm, tile (128x64x4), active-ctas");
  add_roofline_output(app, arguments.drawing);
}

}  // namespace rooftile::cli
