// The options of explore.
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedExplore {
  std::string space, best, rank_by, pareto, costs, heat_map, csv, rows, threads, output;
  TypedPrediction prediction;
  bool scaling = false, all_layers = false, layer_times = false, with_costs = false;
};

Result<void> run_explore(const TypedExplore& typed) {
  if (typed.space.empty() && !typed.scaling) return usage("explore needs a SPACE.toml, or --scaling");
  ExploreArguments arguments;
  const auto prediction = prediction_arguments(typed.prediction);
  if (!prediction) return tl::unexpected(prediction.error());
  arguments.prediction = *prediction;
  if (typed.scaling) {
    if (prediction->gpus.size() > 1) return usage("--scaling takes one GPU");
    for (const auto& [option, text] : {std::pair{"--best", &typed.best},
                                       {"--rank-by", &typed.rank_by},
                                       {"--pareto", &typed.pareto},
                                       {"--costs", &typed.costs},
                                       {"--heat-map", &typed.heat_map},
                                       {"--csv", &typed.csv},
                                       {"--rows", &typed.rows},
                                       {"--threads", &typed.threads}}) {
      if (!text->empty()) return usage(fmt::format("{} is for a SPACE.toml, not for --scaling", option));
    }
    if (typed.with_costs) return usage("--with-costs is for a SPACE.toml, not for --scaling");
  } else if (!typed.prediction.gpu.empty() || !typed.prediction.batch_size.empty() || typed.all_layers) {
    return usage("--gpu, --batch-size and --all-layers are for --scaling; a space file says its own");
  }
  if (typed.layer_times && typed.csv.empty()) return usage("--layer-times is for --csv");
  constexpr std::int64_t kMostBest = 100000, kMostThreads = 1024;
  if (!typed.best.empty()) {
    const auto best = parse_count("--best", typed.best, kMostBest);
    if (!best) return tl::unexpected(best.error());
    arguments.best = *best;
  }
  if (!typed.threads.empty()) {
    const auto threads = parse_count("--threads", typed.threads, kMostThreads);
    if (!threads) return tl::unexpected(threads.error());
    arguments.threads = *threads;
  }
  for (const auto& [option, text, elements] : {std::tuple{"--pareto", &typed.pareto, &arguments.pareto},
                                               {"--heat-map", &typed.heat_map, &arguments.heat_map}}) {
    if (text->empty()) continue;
    auto list = parse_list(option, *text);
    if (!list) return tl::unexpected(list.error());
    *elements = std::move(*list);
  }
  if (!typed.rank_by.empty()) arguments.rank_by = typed.rank_by;
  arguments.with_costs = typed.with_costs;
  arguments.costs = typed.costs;
  arguments.space = typed.space;
  arguments.scaling = typed.scaling;
  arguments.all_layers = typed.all_layers;
  arguments.csv = typed.csv;
  arguments.rows = typed.rows;
  arguments.layer_times = typed.layer_times;
  arguments.folder = typed.output;
  return explore(arguments);
}

}  // namespace

void add_explore(CommandList& commands) {
  const auto typed = std::make_shared<TypedExplore>();
  typed->prediction.method = "delta";
  CLI::App* command = commands.add(
      "explore", "Evaluate a space of GPU designs: the best, the Pareto front, what limits them",
      "rooftile explore space.toml --pareto sm_count,dram_bandwidth --heat-map sm_count,l2_bandwidth -o designs",
      [typed] { return run_explore(*typed); });
  command->add_option("SPACE", typed->space, "a design space (TOML); with --scaling a MODEL (default: resnet152)");
  command->add_flag("--scaling", typed->scaling, "the nine options of the DeLTA paper's Table 16a instead");
  command->add_flag("--all-layers", typed->all_layers, "with --scaling: not only convolutions");
  command->add_option("--gpu", typed->prediction.gpu,
                      "with --scaling: the GPU that is scaled (default: titan-xp-delta)");
  command->add_option("-b,--batch-size", typed->prediction.batch_size,
                      "with --scaling: samples a batch (default: 256)");
  command->add_option("--method", typed->prediction.method,
                      "delta (default: millions of designs a second), or as for predict (thousands)");
  command->add_option("--precision", typed->prediction.precision, "as for predict");
  command->add_option("--best", typed->best, "how many of the best designs to show (default: 10)");
  command->add_option("--rank-by", typed->rank_by,
                      "the best have the least of: time (default), area, power, price, energy, an axis");
  command->add_option(
      "--pareto", typed->pareto,
      "area, power, price, energy or axes, with commas: designs that none beats in time and all of these");
  command->add_flag("--with-costs", typed->with_costs,
                    "area, power, price and energy of every design shown (docs/costs.md)");
  command->add_option("--costs", typed->costs, "a .toml file whose numbers go over the costs built in");
  command->add_option("--heat-map", typed->heat_map, "two axes with a comma: the best speedup for each pair of values");
  command->add_option("--csv", typed->csv, "write every design to this CSV");
  command->add_flag("--layer-times", typed->layer_times, "with --csv: a column for each layer too");
  command->add_option("--rows", typed->rows, "write every design and layer time to this binary file (docs/explore.md)");
  command->add_option("--threads", typed->threads, "CPU threads (default: all); the result does not depend on it");
  command->add_option("-o,--output", typed->output, "write report, CSV and SVG into this folder");
}

}  // namespace rooftile::cli
