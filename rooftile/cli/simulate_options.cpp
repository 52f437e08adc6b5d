// The options of simulate.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {
namespace {

struct TypedSimulate {
  std::string model, layers, layer, policy = "lru", l1, against, random, seed, format, output;
  TypedPrediction prediction;
  bool convolutions = false, warm = false, exact = false, scores = false;
};

// What --policy, --warm, --l1 and --exact say.
Result<SimulateOptions> simulate_options(const TypedSimulate& typed) {
  SimulateOptions options;
  TRY(check_choice("--policy", typed.policy, {"lru", "random"}, {}));
  options.policy = typed.policy == "lru" ? Replacement::lru : Replacement::random;
  options.start = typed.warm ? Start::warm : Start::cold;
  options.l1 = typed.l1 != "off";
  if (options.l1 && !typed.l1.empty()) {
    const auto capacity = parse<Bytes>(typed.l1);
    if (!capacity) return fail(ErrorCode::usage, capacity.error().message + "; or off", "--l1");
    options.l1_capacity = *capacity;
  }
  if (typed.exact) options.exact_up_to = std::numeric_limits<double>::infinity();
  return options;
}

Result<void> run_simulate(const TypedSimulate& typed) {
  const auto prediction = TRY(prediction_arguments(typed.prediction));
  SimulateArguments arguments;
  arguments.table = typed.layers;
  arguments.layer = typed.layer;
  arguments.prediction = prediction;
  if (prediction.gpus.size() != 1) return usage("simulate needs --gpu with one ID");
  const auto options = TRY(simulate_options(typed));
  arguments.options = options;
  constexpr std::int64_t kMost = 1000000;
  const auto count = [](std::string_view option, const std::string& text, std::int64_t& value) -> Result<void> {
    if (text.empty()) return {};
    const auto number = TRY(parse_count(option, text, kMost));
    value = number;
    return {};
  };
  if (auto result = count("--random", typed.random, arguments.random_layers); !result) return result;
  if (auto result = count("--seed", typed.seed, arguments.seed); !result) return result;
  const auto list = [](std::string_view option, const std::string& text,
                       std::vector<std::string>& elements) -> Result<void> {
    if (text.empty()) return {};
    auto parsed = TRY(parse_list(option, text));
    elements = std::move(parsed);
    return {};
  };
  if (auto result = list("MODEL", typed.model, arguments.models); !result) return result;
  if (auto result = list("--against", typed.against, arguments.against); !result) return result;
  for (const std::string& method : arguments.against) {
    if (auto result = check_choice("--against", method, {"delta", "refined"}, {}); !result) return result;
  }
  if (arguments.models.empty() && arguments.table.empty() && arguments.random_layers == 0) {
    return usage("simulate needs a MODEL, --layers TABLE.csv or --random COUNT");
  }
  const auto format = TRY(parse_format(typed.format, typed.output, {Format::table, Format::json, Format::csv}));
  arguments.convolutions_only = typed.convolutions;
  arguments.scores_only = typed.scores;
  arguments.format = format;
  arguments.output = typed.output;
  return simulate_layers(arguments);
}

}  // namespace

void add_simulate(CommandList& commands) {
  const auto typed = std::make_shared<TypedSimulate>();
  CLI::App* command = commands.add("simulate", "Count the bytes of convolutions and GEMMs by replaying their addresses",
                                   "rooftile simulate vgg16 --gpu titan-xp --batch-size 256 --layer conv3",
                                   [typed] { return run_simulate(*typed); });
  command->add_option("MODEL", typed->model, "as for predict; several with commas");
  command->add_option("--layers", typed->layers, "simulate each row of this CSV");
  command->add_option("--layer", typed->layer, "only layers with this in their names");
  command->add_flag("--convolutions", typed->convolutions, "leave out plain GEMMs");
  command->add_option("--gpu", typed->prediction.gpu, "catalogue id, an unambiguous part of one, or a .toml file");
  command->add_option("-b,--batch-size", typed->prediction.batch_size,
                      "samples a batch (default: the model's own, else 1)");
  command->add_flag("--skip-unsupported", typed->prediction.skip_unsupported,
                    "leave out operators that are not supported");
  command->add_option("--tile", typed->prediction.tile, "CTA tile to use instead of DeLTA's choice, as in 128x64x4");
  command->add_option("--active-ctas", typed->prediction.active_ctas,
                      "CTAs resident on an SM, instead of the occupancy rule");
  command->add_option("--policy", typed->policy, "replacement in both caches: lru or random");
  command->add_flag("--warm", typed->warm, "start with the L2 as an earlier run left it, not empty");
  command->add_option(
      "--l1", typed->l1,
      "bytes of an SM's L1, as in 32KiB, or off: loads pass it by (default: half of what shared memory leaves)");
  command->add_flag("--exact", typed->exact, "replay every CTA, however long it takes; else large layers are sampled");
  command->add_option("--against", typed->against,
                      "closed forms to compare with: delta, refined, or both with a comma");
  command->add_option("--random", typed->random, "simulate so many random convolutions as well");
  command->add_option("--seed", typed->seed, "of the random convolutions (default: 1)");
  command->add_flag("--scores", typed->scores, "print how far --against is off, not each layer");
  command->add_option("--format", typed->format, "table, json or csv (default: by the suffix of -o)");
  command->add_option("-o,--output", typed->output, "write to this file");
}

}  // namespace rooftile::cli
