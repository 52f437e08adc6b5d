// The options of plan.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/plan_arguments.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/planning/duration.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 50, kMostEpochs = 1000000, kMostGpus = 1024;

struct TypedPlan {
  std::string model, samples, epochs, deadline, budget, batches, global_batch, most_global_batch, most_gpus, scaling,
      optimizer, memory_share, fitted, columns, db, queue, cluster, gantt, seed, prices, basis, lifetime, energy_price,
      format, output;
  std::vector<std::string> priced;
  bool cautious = false, exact = false;
  TypedPrediction prediction;
};

// A whole number into `value`, where one was given.
template <class Value>
Result<void> read_count(const char* option, const std::string& text, std::int64_t most, Value& value) {
  if (text.empty()) return {};
  const auto number = TRY(parse_count(option, text, most));
  if constexpr (std::is_arithmetic_v<Value>) {
    value = static_cast<Value>(number);
  } else {
    value = number;
  }
  return {};
}

Result<void> read_duration(const char* option, const std::string& text, std::optional<Seconds>& value) {
  if (text.empty()) return {};
  const auto time = parse_duration(text);
  if (!time) return fail(ErrorCode::usage, time.error().message, option);
  value = *time;
  return {};
}

// "100" or "100 USD".
Result<void> read_dollars(const char* option, std::string text, std::optional<Dollars>& value) {
  if (text.empty()) return {};
  const std::string given = text;
  if (text.ends_with("USD")) text.resize(text.size() - 3);
  while (text.ends_with(' ')) text.pop_back();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double kMost = 1e15;
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(number > 0 && number <= kMost)) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not an amount above 0 in USD", given), option);
  }
  value = Dollars(number);
  return {};
}

Result<void> read_batches(const TypedPlan& typed, PlanArguments& arguments) {
  if (!typed.batches.empty()) {
    const auto list = TRY(parse_list("--batch-size", typed.batches));
    for (const std::string& text : list) {
      const auto batch = TRY(parse_count("--batch-size", text, kMaxDimension));
      arguments.batches.push_back(batch);
    }
  }
  if (!typed.global_batch.empty() && !(typed.batches.empty() && typed.most_global_batch.empty())) {
    return usage(
        "--global-batch fixes the batch of all GPUs; it goes with neither --batch-size nor --max-global-batch");
  }
  auto read = read_count("--global-batch", typed.global_batch, kMaxDimension, arguments.global_batch);
  if (read)
    read = read_count("--max-global-batch", typed.most_global_batch, kMaxDimension, arguments.most_global_batch);
  return read;
}

// What training on several GPUs depends on; of a PlanArguments or QueueArguments.
template <class Arguments>
Result<void> read_choices(const TypedPlan& typed, Arguments& arguments) {
  if (!typed.scaling.empty()) {
    const std::vector<std::string> known = {"measured", "links"};
    if (auto result = check_choice("--scaling", typed.scaling, known, {}); !result) return result;
    arguments.scaling = typed.scaling == "links" ? Scaling::links : Scaling::measured;
  }
  if (!typed.optimizer.empty()) {
    const auto optimizer = parse_optimizer(typed.optimizer);
    if (!optimizer) return check_choice("--optimizer", typed.optimizer, optimizer_names(), {});
    arguments.optimizer = *optimizer;
  }
  if (!typed.memory_share.empty()) {
    const auto share = TRY(parse_rate("--memory-share", typed.memory_share));
    arguments.memory_share = share;
  }
  return {};
}

Result<void> read_prices(const TypedPlan& typed, PlanArguments& arguments) {
  PriceRules& rules = arguments.rules;
  if (!typed.basis.empty()) {
    const auto basis = parse_price_basis(typed.basis);
    if (!basis) return check_choice("--price-basis", typed.basis, price_basis_names(), {});
    rules.basis = *basis;
  }
  for (const auto& [option, text] :
       {std::pair{"--lifetime", &typed.lifetime}, std::pair{"--energy-price", &typed.energy_price}}) {
    if (!text->empty() && rules.basis == PriceBasis::rented) {
      return usage(fmt::format("{} is for --price-basis bought or any", option));
    }
  }
  std::optional<Seconds> lifetime;
  std::optional<Dollars> energy;
  if (auto read = read_duration("--lifetime", typed.lifetime, lifetime); !read) return read;
  if (auto read = read_dollars("--energy-price", typed.energy_price, energy); !read) return read;
  constexpr double kJoulesOfKilowattHour = 3.6e6;
  if (lifetime) rules.lifetime = *lifetime;
  if (energy) rules.usd_per_joule = energy->value() / kJoulesOfKilowattHour;
  return {};
}

// What goes with a queue alone, or with a model alone.
Result<void> check_kind(const TypedPlan& typed) {
  const bool queue = !typed.queue.empty();
  const std::vector<std::pair<const char*, const std::string*>> of_queue = {
      {"--cluster", &typed.cluster}, {"--gantt", &typed.gantt}, {"--seed", &typed.seed}};
  const std::vector<std::pair<const char*, const std::string*>> of_model = {
      {"MODEL", &typed.model},
      {"--samples", &typed.samples},
      {"--epochs", &typed.epochs},
      {"--deadline", &typed.deadline},
      {"--budget", &typed.budget},
      {"--gpu", &typed.prediction.gpu},
      {"--max-gpus", &typed.most_gpus},
      {"--batch-size", &typed.batches},
      {"--global-batch", &typed.global_batch},
      {"--max-global-batch", &typed.most_global_batch},
      {"--precision", &typed.prediction.precision},
      {"--prices", &typed.prices},
      {"--price-basis", &typed.basis},
      {"--lifetime", &typed.lifetime},
      {"--energy-price", &typed.energy_price}};
  for (const auto& [name, text] : queue ? of_model : of_queue) {
    if (text->empty()) continue;
    return usage(
        queue ? fmt::format("{} does not go with --queue: the queue says it for each job, or it plays no part", name)
              : fmt::format("{} is for --queue", name));
  }
  if (queue && (typed.cautious || !typed.priced.empty())) return usage("--cautious and --price do not go with --queue");
  if (!queue && typed.exact) return usage("--exact is for --queue");
  return {};
}

Result<void> run_queue(const TypedPlan& typed) {
  if (typed.cluster.empty()) return usage("--queue needs --cluster CLUSTER.toml");
  QueueArguments arguments;
  auto prediction = TRY(prediction_arguments(typed.prediction));
  arguments.prediction = std::move(prediction);
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;
  auto read = read_count("--seed", typed.seed, kMostSeed, arguments.seed);
  if (read) read = read_choices(typed, arguments);
  if (!read) return read;
  auto columns = TRY(parse_columns("--column", typed.columns));
  arguments.queue = typed.queue;
  arguments.cluster = typed.cluster;
  arguments.exact = typed.exact;
  arguments.fitted = typed.fitted;
  arguments.columns = std::move(columns);
  arguments.db = typed.db;
  arguments.gantt = typed.gantt;
  arguments.format = typed.format;
  arguments.output = typed.output;
  return plan_queue(arguments);
}

// What decides an analytic step has no part in a fitted one.
Result<void> check_fitted(const TypedPlan& typed) {
  if (typed.fitted.empty()) {
    if (!typed.db.empty()) return usage("--db is for --fitted");
    return typed.columns.empty() ? Result<void>() : usage("--column is for --fitted");
  }
  if (typed.prediction.method != TypedPrediction().method) return usage("--method does not go with --fitted");
  if (!typed.prediction.calibration.empty()) return usage("--calibration does not go with --fitted");
  return {};
}

Result<void> run_plan(const TypedPlan& typed) {
  if (auto result = check_kind(typed); !result) return result;
  if (auto result = check_fitted(typed); !result) return result;
  if (!typed.queue.empty()) return run_queue(typed);
  if (typed.model.empty()) return usage("plan needs a MODEL, or a --queue");
  if (typed.model == "-") return usage("plan reads the model for each batch: name a file, not '-'");
  if (typed.samples.empty() || typed.epochs.empty()) {
    return usage("plan needs --samples and --epochs: what is to be trained on, and how often");
  }
  PlanArguments arguments;
  auto prediction = TRY(prediction_arguments(typed.prediction));
  arguments.prediction = std::move(prediction);
  arguments.model = typed.model;
  auto read = read_count("--samples", typed.samples, kMostSamples, arguments.samples);
  if (read) read = read_count("--epochs", typed.epochs, kMostEpochs, arguments.epochs);
  if (read) read = read_count("--max-gpus", typed.most_gpus, kMostGpus, arguments.most_gpus);
  if (read) read = read_duration("--deadline", typed.deadline, arguments.deadline);
  if (read) read = read_dollars("--budget", typed.budget, arguments.budget);
  if (read) read = read_prices(typed, arguments);
  if (read) read = read_batches(typed, arguments);
  if (read) read = read_choices(typed, arguments);
  if (!read) return read;
  auto columns = TRY(parse_columns("--column", typed.columns));
  arguments.cautious = typed.cautious;
  arguments.fitted = typed.fitted;
  arguments.columns = std::move(columns);
  arguments.db = typed.db;
  arguments.prices = typed.prices;
  arguments.priced = typed.priced;
  arguments.format = typed.format;
  arguments.output = typed.output;
  return plan(arguments);
}

void add_training_options(CLI::App* command, TypedPlan& typed) {
  command->add_option("--samples", typed.samples, "of the data set");
  command->add_option("--epochs", typed.epochs, "times that all of them are gone through");
  command->add_option("--deadline", typed.deadline,
                      "time that the training may take, as in 12h, 90min or 3d: the cheapest");
  command->add_option("--budget", typed.budget, "USD that it may cost: the fastest; with a deadline the cheapest");
  command->add_option("--gpu", typed.prediction.gpu,
                      "catalogue ids or .toml files, with commas (default: the catalogue)");
  command->add_option("--max-gpus", typed.most_gpus, "of one machine, of the same kind (default: 8)");
  command->add_option("-b,--batch-size", typed.batches,
                      "samples a GPU, with commas several (default: powers of two that fit)");
  command->add_option("--global-batch", typed.global_batch, "samples of all GPUs together, split over them");
  command->add_option("--max-global-batch", typed.most_global_batch, "samples of all GPUs together at most");
  command->add_flag("--cautious", typed.cautious, "deadline and budget are to hold at the upper end of the interval");
  command->add_option("--scaling", typed.scaling,
                      "what several GPUs add: measured (default: fitted to training runs) or links (all-reduce alone)");
  command->add_option("--optimizer", typed.optimizer, "whose state is kept: sgd, momentum or adam (default)");
  command->add_option("--memory-share", typed.memory_share, "of a GPU's memory that may be filled (default: 0.8)");
}

}  // namespace

void add_plan(CommandList& commands) {
  const auto typed = std::make_shared<TypedPlan>();
  CLI::App* command =
      commands.add("plan",
                   "Where to train a network: GPUs, number and batch that meet a deadline or a budget; or when to run "
                   "a queue of jobs",
                   "rooftile plan resnet50 --samples 1281167 --epochs 90 --precision fp16 --deadline 12h",
                   [typed] { return run_plan(*typed); });
  command->add_option("MODEL", typed->model, "a name of 'rooftile models', an .onnx file or a workload .json");
  add_training_options(command, *typed);
  command->add_option("--price", typed->priced, "ID=USD of a GPU and hour, as in t4=0.35; again for more")
      ->allow_extra_args(false);
  command->add_option("--prices", typed->prices, "a file of such prices (docs/planning.md)");
  command->add_option("--price-basis", typed->basis,
                      "prices of the catalogue that count: rented (default), bought, or any: rented where known");
  command->add_option("--lifetime", typed->lifetime, "of use that a launch price is spread over (default: 1095d)");
  command->add_option("--energy-price", typed->energy_price, "USD a kWh, added to bought GPUs at their TDP");
  command->add_option("--precision", typed->prediction.precision, "as for predict");
  command->add_option("--seq-len", typed->prediction.seq_len, "as for predict");
  command->add_option("--method", typed->prediction.method, "as for predict");
  command->add_option("--framework", typed->prediction.framework, "as for predict");
  command->add_option("--calibration", typed->prediction.calibration, "as for predict");
  command->add_option("--fitted", typed->fitted,
                      "steps by this fitted model: one of 'predict --fitted', of a training step");
  command->add_option("--column", typed->columns, "with --fitted: as for predict");
  command->add_option("--db", typed->db,
                      "with --fitted: the store's file (default: rooftile/rooftile.db in the user's data directory)");
  command->add_option("--queue", typed->queue, "instead of a model: jobs (CSV) to schedule on a cluster");
  command->add_option("--cluster", typed->cluster, "its machines and their GPUs (TOML, docs/planning.md)");
  command->add_flag("--exact", typed->exact, "look for the best schedule of more than 8 jobs too, as long as it takes");
  command->add_option("--seed", typed->seed, "of the schedule's random moves (default: 1)");
  command->add_option("--gantt", typed->gantt, "draw the schedule into this SVG");
  command->add_option("--format", typed->format, "table, json or csv (default: by the suffix of -o, else table)");
  command->add_option("-o,--output", typed->output, "write to this file");
}

}  // namespace rooftile::cli
