// The program that `./dev run` builds first, in a third of the time: predict, explain, gpus, models and support.
// Whatever is beyond it ends with kAskTheWhole, and `./dev run` then builds the whole program and runs that.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "rooftile/cli/app.hpp"
#include "rooftile/cli/predict_command.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/report/page/page.hpp"

namespace {

constexpr int kAskTheWhole = 75;  // EX_TEMPFAIL of sysexits.h; no other status of the program

// Nothing has been written yet, as these are called before any output.
[[noreturn]] void ask_the_whole() { std::_Exit(kAskTheWhole); }

}  // namespace

namespace rooftile {

namespace cli {
Result<void> predict_fitted(const PredictArguments&) { ask_the_whole(); }
Result<void> save_predictions(const std::string&, std::span<const Prediction>, const std::string&) { ask_the_whole(); }
}  // namespace cli

std::string prediction_page(std::span<const Prediction>, std::span<const Gpu>) { ask_the_whole(); }

}  // namespace rooftile

int main(int argc, char** argv) {
  using namespace rooftile::cli;
  constexpr std::array<std::string_view, 5> kCommands = {"predict", "explain", "gpus", "models", "support"};
  if (argc < 2 || std::find(kCommands.begin(), kCommands.end(), argv[1]) == kCommands.end()) return kAskTheWhole;
  return run(argc, argv, rooftile_with([](CommandList& commands) {
               add_predict(commands);
               add_explain(commands);
               add_gpus(commands);
               add_models(commands);
               add_support(commands);
             }));
}
