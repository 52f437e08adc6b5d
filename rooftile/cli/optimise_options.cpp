// The options of optimise.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedOptimise {
  std::string space, minimise, maximise, costs, trials, seed, threads, format, plot, output;
  std::vector<std::string> constraints;
  TypedPrediction prediction;
};

Result<void> run_optimise(const TypedOptimise& typed) {
  if (typed.space.empty()) return usage("optimise needs a SPACE.toml");
  if (typed.minimise.empty() && typed.maximise.empty()) {
    return usage("optimise needs --minimise METRIC, as in --minimise price, or --maximise speedup");
  }
  OptimiseArguments arguments;
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  arguments.prediction = prediction;
  if (!typed.minimise.empty()) {
    auto metrics = TRY(parse_list("--minimise", typed.minimise));
    arguments.minimise = std::move(metrics);
  }
  if (!typed.maximise.empty()) {
    if (typed.maximise != "speedup")
      return usage("--maximise takes speedup, the inverse of the time; all else is minimised");
    arguments.minimise.insert(arguments.minimise.begin(), "time");
  }
  constexpr std::int64_t kMostTrials = 100000000, kMostThreads = 1024, kMostSeed = std::int64_t{1} << 53;
  if (!typed.trials.empty()) {
    const auto trials = TRY(parse_count("--trials", typed.trials, kMostTrials));
    arguments.trials = trials;
  }
  if (!typed.seed.empty()) {
    const auto seed = TRY(parse_count("--seed", typed.seed, kMostSeed));
    arguments.seed = seed;
  }
  if (!typed.threads.empty()) {
    const auto threads = TRY(parse_count("--threads", typed.threads, kMostThreads));
    arguments.threads = threads;
  }
  arguments.space = typed.space;
  arguments.constraints = typed.constraints;
  arguments.costs = typed.costs;
  arguments.format = typed.format;
  arguments.plot = typed.plot;
  arguments.output = typed.output;
  return optimise(arguments);
}

}  // namespace

void add_optimise(CommandList& commands) {
  const auto typed = std::make_shared<TypedOptimise>();
  typed->prediction.method = "delta";
  CLI::App* command =
      commands.add("optimise", "The best design of a space: least cost for a speed, most speed for a cost, and why",
                   "rooftile optimise space.toml --minimise price --constraint \"time <= 0.02\"",
                   [typed] { return run_optimise(*typed); });
  command->add_option("SPACE", typed->space, "a design space (TOML), as of explore");
  command->add_option(
      "--minimise", typed->minimise,
      "what is to be small: time, area, power, price, energy or an axis; with commas a front of several");
  command->add_option("--maximise", typed->maximise, "speedup: the same as --minimise time");
  command
      ->add_option("--constraint", typed->constraints,
                   "what must hold, as in \"time <= 0.02 and price < 400\"; again for more")
      ->allow_extra_args(false);
  command->add_option("--costs", typed->costs, "a cost file whose numbers go over those built in (docs/costs.md)");
  command->add_option("--method", typed->prediction.method,
                      "delta (default), or as for predict, a thousand times slower");
  command->add_option("--precision", typed->prediction.precision, "as for predict");
  command->add_option("--trials", typed->trials, "designs that the search tries at most (default: 10000)");
  command->add_option("--seed", typed->seed, "of its random numbers (default: 1): the same seed, the same answer");
  command->add_option("--threads", typed->threads,
                      "CPU threads for methods other than delta (default: all); the result does not depend on it");
  command->add_option("--format", typed->format, "table, json or csv (default: by the suffix of -o, else table)");
  command->add_option("--plot", typed->plot, "draw the front of two metrics into this SVG");
  command->add_option("-o,--output", typed->output, "write to this file");
}

}  // namespace rooftile::cli
