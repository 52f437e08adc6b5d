// The options of explore.
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedExplore {
  std::string space, best, rank_by, pareto, costs, heat_map, csv, rows, threads, output;
  std::string checkpoint, checkpoint_every, rank_timeout;
  TypedPrediction prediction;
  bool scaling = false, all_layers = false, layer_times = false, with_costs = false;
};

// A time from the blink of an eye to a year.
Result<double> parse_seconds(const char* option, const std::string& text) {
  constexpr double kLeast = 0.1, kMost = 31557600;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && seconds >= kLeast && seconds <= kMost) return seconds;
  return usage(fmt::format("{}: '{}' is not a number of seconds from 0.1", option, one_line(text)));
}

// Files that grow or are read again; standard output has the report.
Result<void> check_files(const TypedExplore& typed) {
  for (const auto& [option, text] :
       {std::pair{"--csv", &typed.csv}, {"--rows", &typed.rows}, {"--checkpoint", &typed.checkpoint}}) {
    if (*text == "-") return usage(fmt::format("{} takes a file; standard output has the report", option));
  }
  if (!typed.csv.empty() && typed.csv == typed.rows) return usage("--csv and --rows name the same file");
  return {};
}

Result<void> read_checkpoint_options(const TypedExplore& typed, ExploreArguments& arguments) {
  arguments.checkpoint = typed.checkpoint;
  for (const auto& [option, text] : {std::pair{"--csv", &typed.csv}, {"--rows", &typed.rows}}) {
    if (text->empty()) continue;
    if (arguments.ranks != nullptr) return usage(fmt::format("{} is for one machine: rooftile explore", option));
    if (!typed.checkpoint.empty()) {
      return usage(
          fmt::format("{} goes without --checkpoint: rows of a run that was killed could not be gone on from", option));
    }
  }
  if (!typed.checkpoint_every.empty() && typed.checkpoint.empty()) {
    return usage("--checkpoint-every is for --checkpoint");
  }
  for (const auto& [option, text, seconds] :
       {std::tuple{"--checkpoint-every", &typed.checkpoint_every, &arguments.checkpoint_every},
        {"--rank-timeout", &typed.rank_timeout, &arguments.rank_timeout}}) {
    if (text->empty()) continue;
    const auto parsed = TRY(parse_seconds(option, *text));
    *seconds = parsed;
  }
  return {};
}

Result<void> run_explore(const TypedExplore& typed, cluster::Ranks* ranks) {
  if (typed.space.empty() && !typed.scaling) return usage("explore needs a SPACE.toml, or --scaling");
  if (typed.scaling && ranks != nullptr) return usage("--scaling is for one machine: rooftile explore --scaling");
  ExploreArguments arguments;
  arguments.ranks = ranks;
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  arguments.prediction = prediction;
  if (typed.scaling) {
    if (prediction.gpus.size() > 1) return usage("--scaling takes one GPU");
    for (const auto& [option, text] : {std::pair{"--best", &typed.best},
                                       {"--rank-by", &typed.rank_by},
                                       {"--pareto", &typed.pareto},
                                       {"--costs", &typed.costs},
                                       {"--heat-map", &typed.heat_map},
                                       {"--csv", &typed.csv},
                                       {"--rows", &typed.rows},
                                       {"--checkpoint", &typed.checkpoint},
                                       {"--threads", &typed.threads}}) {
      if (!text->empty()) return usage(fmt::format("{} is for a SPACE.toml, not for --scaling", option));
    }
    if (typed.with_costs) return usage("--with-costs is for a SPACE.toml, not for --scaling");
  } else if (!typed.prediction.gpu.empty() || !typed.prediction.batch_size.empty() || typed.all_layers) {
    return usage("--gpu, --batch-size and --all-layers are for --scaling; a space file says its own");
  }
  if (typed.layer_times && typed.csv.empty()) return usage("--layer-times is for --csv");
  if (auto result = check_files(typed); !result) return result;
  if (auto result = read_checkpoint_options(typed, arguments); !result) return result;
  constexpr std::int64_t kMostBest = 100000, kMostThreads = 1024;
  if (!typed.best.empty()) {
    const auto best = TRY(parse_count("--best", typed.best, kMostBest));
    arguments.best = best;
  }
  if (!typed.threads.empty()) {
    const auto threads = TRY(parse_count("--threads", typed.threads, kMostThreads));
    arguments.threads = threads;
  }
  for (const auto& [option, text, elements] : {std::tuple{"--pareto", &typed.pareto, &arguments.pareto},
                                               {"--heat-map", &typed.heat_map, &arguments.heat_map}}) {
    if (text->empty()) continue;
    auto list = TRY(parse_list(option, *text));
    *elements = std::move(list);
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

void add_explore(CommandList& commands, cluster::Ranks* ranks) {
  const auto typed = std::make_shared<TypedExplore>();
  typed->prediction.method = "delta";
  CLI::App* command = commands.add(
      "explore", "Evaluate a space of GPU designs: the best, the Pareto front, what limits them",
      "rooftile explore space.toml --pareto sm_count,dram_bandwidth --heat-map sm_count,l2_bandwidth -o designs",
      [typed, ranks] { return run_explore(*typed, ranks); });
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
  command->add_option("--checkpoint", typed->checkpoint,
                      "keep in this file what is done, and go on from it if it is there (docs/cluster.md)");
  command->add_option("--checkpoint-every", typed->checkpoint_every,
                      "seconds between two times that the checkpoint is written (default: 60)");
  if (ranks != nullptr) {
    command->add_option("--rank-timeout", typed->rank_timeout,
                        "seconds of silence after which others do a rank's work (default: 30)");
  }
  command->add_option("--threads", typed->threads, "CPU threads (default: all); the result does not depend on it");
  command->add_option("-o,--output", typed->output, "write report, CSV and SVG into this folder");
}

}  // namespace rooftile::cli
