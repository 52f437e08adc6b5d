// rooftile plan MODEL: where to train a network within a deadline or a budget.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/headroom_option.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/price_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/training_options.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/plan.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {
namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 50;

constexpr Writers<const PlanReport&> kPlanWriters = {
    {Format::table, plan_table}, {Format::json, plan_json}, {Format::csv, plan_csv}};

struct PlanArguments {
  std::string model;
  PredictionArguments prediction;  // no GPU: the catalogue; the batch size is not used
  std::optional<std::int64_t> samples, epochs, steps;
  double headroom = 0;  // share of a GPU's memory that stays free
  std::optional<Seconds> deadline;
  std::optional<Dollars> budget;
  int most_gpus = 8;
  std::vector<std::int64_t> batches;                            // of each GPU; empty: powers of two
  std::optional<std::int64_t> global_batch, most_global_batch;  // of all GPUs together
  PriceArguments prices;
  OutputArguments output;
};

// Those named, or the boards of the catalogue.
Result<std::vector<Gpu>> gpus_of(const PlanArguments& arguments) {
  return arguments.prediction.gpus.empty() ? boards_sold() : gpus_of_option(arguments.prediction.gpus);
}

Result<TrainingChoices> choices_of(const PlanArguments& arguments, const TrainingSettings& training) {
  TrainingChoices choices;
  choices.batches = arguments.batches;
  choices.global_batch = arguments.global_batch;
  choices.most_global_batch = arguments.most_global_batch;
  choices.most_gpus = arguments.most_gpus;
  choices.scaling = training.scaling;
  choices.memory_share = 1 - arguments.headroom;
  choices.cautious = training.cautious;
  choices.predict = predict_options(arguments.prediction);
  choices.predict.optimizer = training.optimizer;
  choices.threads = machine_threads();
  TRY(check(choices.predict));
  choices.gpus = TRY(gpus_of(arguments));
  choices.prices = TRY(price_rules(arguments.prices, choices.gpus));
  return choices;
}

// The only one of the fit, else that of a prediction that says none.
DType precision_of_fit(const regression::FittedModel& fitted) {
  const std::vector<std::string>& known = fitted.fitted_on.precisions;
  return (known.size() == 1 ? parse_dtype(known.front()) : std::nullopt).value_or(PredictOptions().precision);
}

Result<Seconds> parse_time(const std::string& option, const std::string& text) {
  const auto time = parse_duration(text);
  if (time) return *time;
  return fail(ErrorCode::usage, time.error().message, option);
}

// "64,128" of a GPU; "total=512" of all together, or "max=512" at most.
Result<void> read_batches(const std::string& option, const std::string& text, PlanArguments& arguments) {
  for (const std::string& one : TRY(parse_list(option, text))) {
    const std::size_t equals = one.find('=');
    const std::string key = equals == std::string::npos ? "" : one.substr(0, equals);
    const auto count = TRY(parse_count(option, key.empty() ? one : one.substr(equals + 1), kMaxDimension));
    if (key.empty()) {
      arguments.batches.push_back(count);
    } else if (key == "total") {
      arguments.global_batch = count;
    } else if (key == "max") {
      arguments.most_global_batch = count;
    } else {
      return usage(fmt::format("{}: '{}' is neither N, total=N nor max=N", option, one_line(one)));
    }
  }
  if (arguments.global_batch && !(arguments.batches.empty() && !arguments.most_global_batch)) {
    return usage(option + ": total=N fixes the batch of all GPUs, and stands alone");
  }
  return {};
}

// --samples and --epochs, or --steps of a batch of all GPUs.
Result<void> set_length(const PlanArguments& arguments, TrainingTask& task) {
  if (!arguments.steps) {
    task.samples = *arguments.samples;
    task.epochs = *arguments.epochs;
    return {};
  }
  if (!arguments.global_batch) return usage("--steps needs -b total=N: the samples of a step");
  if (*arguments.steps > kMostSamples / *arguments.global_batch) return usage("--steps: too many samples in all");
  task.samples = *arguments.steps * *arguments.global_batch;
  return {};
}

Result<void> run(PlanArguments& arguments) {
  if (arguments.model == "-") return usage("plan reads the model for each batch: name a file, not '-'");
  const TrainingSettings training = TRY(take_training(arguments.prediction.set));
  arguments.prediction.phase = Phase::step;
  TRY(complete(arguments.prediction));
  const std::string& selector = arguments.prediction.method.fitted;
  std::optional<regression::FittedModel> fitted;
  std::map<std::string, std::string> columns;
  if (!selector.empty()) {
    fitted = TRY(fitted_of_option(selector));
    columns = TRY(fitted_run(arguments.prediction.set)).columns;
  }
  auto choices = TRY(choices_of(arguments, training));
  if (fitted) {
    choices.fitted = &*fitted;
    choices.fitted_cells = columns;
    choices.beyond_fit = !arguments.prediction.gpus.empty();
    if (!arguments.prediction.precision) choices.predict.precision = precision_of_fit(*fitted);
  } else {
    const Workload network = TRY(load_network(arguments.model, arguments.prediction, choices.predict));
    if (!arguments.prediction.precision) write_notes(network);
    const bool any_batch = choices.batches.empty() && !choices.global_batch && !choices.most_global_batch;
    if (network.captured && any_batch) choices.batches = {network.batch_size};  // the one it was captured at
  }
  TrainingTask task;
  task.model = arguments.model;
  TRY(set_length(arguments, task));
  task.deadline = arguments.deadline;
  task.budget = arguments.budget;
  task.workload_of = workload_by_batch(arguments.prediction, arguments.model);
  const InterruptAsked signals;
  choices.stop = &InterruptAsked::flag();
  TrainingPlan plan;
  {
    Progress progress("predictions");
    const OneSecondToStop limit;
    choices.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    plan = TRY(plan_training(task, choices));
  }
  if (plan.stopped && !plan.best) return fail(ErrorCode::interrupted, "stopped before any plan was found");
  if (plan.stopped) InterruptAsked::say_partial("some GPUs or batches were not looked at");
  if (!plan.best) return fail(ErrorCode::not_found, why_none(task, choices, plan), arguments.model);
  const PlanReport report{.task = task, .choices = choices, .plan = plan};
  return write_report(arguments.output, kPlanWriters, report);
}

}  // namespace

void add_plan(CommandList& commands) {
  auto [app, arguments] = commands.add<PlanArguments>(
      "plan", "Choose GPUs, how many and a batch size to train within a deadline or a budget",
      "rooftile plan resnet50 --samples 1281167 --epochs 90 --deadline 12h", run);
  constexpr std::int64_t kMostEpochs = 1000000, kMostGpus = 1024;
  PredictionArguments& prediction = arguments.prediction;
  add_model(app, arguments.model)->required();
  CLI::Option* samples =
      add_count(app, "--samples", arguments.samples, kMostSamples, "samples in the data set, as in 1281167 or 256M");
  CLI::Option* epochs = add_count(app, "--epochs", arguments.epochs, kMostEpochs, "passes over the data set");
  CLI::Option* steps = add_count(app, "--steps", arguments.steps, kMostSamples,
                                 "updates of the weights, in place of both; with -b total=N");
  samples->needs(epochs);
  epochs->needs(samples);
  steps->excludes(samples)->excludes(epochs);
  commands.need_any(app, {samples, steps});
  for (CLI::Option* option : {samples, epochs, steps}) option->group("Training");
  add_value(app, "--deadline", arguments.deadline, "TIME", parse_time,
            "longest time allowed, as in 12h, 90min or 3d: finds the cheapest")
      ->group("Training");
  add_value(app, "--budget", arguments.budget, "USD", parse_dollars,
            "most it may cost: finds the fastest; with a deadline, the cheapest")
      ->group("Training");
  add_gpus(app, prediction.gpus)
      ->description("catalogue ids or .toml files (default: the catalogue)")
      ->group("Choices");
  add_rare(app, {add_count(app, "--max-gpus", arguments.most_gpus, kMostGpus,
                           "most GPUs to use, all of one kind in one machine (default: 8)")});
  add_each(
      app, "-b,--batch-size", "N,…|total=N|max=N",
      [&arguments = arguments](const std::string& option, const std::string& text) {
        return read_batches(option, text, arguments);
      },
      "samples per GPU (default: powers of two that fit), or over all GPUs: exactly (total) or at most (max)")
      ->group("Choices");
  add_rare(app, {add_headroom(app, arguments.headroom, kUsualHeadroom)});
  const std::vector<CLI::Option*> prices = add_price_options(app, arguments.prices);
  prices.front()->group("Choices");
  add_rare(app, {prices.begin() + 1, prices.end()});
  add_rare(app, {add_input_sizes(app, prediction.sizes)});
  add_run_precision(app, prediction)->group("Prediction");
  add_method(app, prediction.method, Fitted::yes)->group("Prediction");
  add_rare(app, {add_host(app, prediction.feeding)});
  add_set(app, prediction.set)
      ->description(std::string("seq-len, framework; ") + training_settings() +
                    ", cautious=yes: meet the deadline and budget even at the upper end of the interval")
      ->group("Prediction");
  add_output_options(app, arguments.output, kPlanWriters);
}

}  // namespace rooftile::cli
