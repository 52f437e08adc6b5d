// rooftile optimise: the best design of a space file, or a front of several metrics.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/explore_preparation.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/axis_notes.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/explore/optimise/optimise.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/report/optimise.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const OptimumReport&> kOptimumWriters = {
    {Format::table, optimum_table}, {Format::json, optimum_json}, {Format::csv, optimum_csv}};

struct OptimiseArguments {
  std::string space;               // the space file
  PredictionArguments prediction;  // method and precision
  std::vector<Metric> minimise;
  std::vector<std::string> constraints;  // besides those of the file
  std::string costs;                     // a user's own cost file; empty: none
  std::int64_t trials = 10000, seed = 1;
  std::optional<std::int64_t> threads;
  std::string plot;  // an SVG besides; empty: none
  OutputArguments output;
};

Result<std::vector<Metric>> parse_metrics(const std::string& option, const std::string& text) {
  std::vector<Metric> metrics;
  for (const std::string& name : TRY(parse_names(option, text))) {
    const auto metric = find_metric(name);
    if (!metric) {
      std::string hint = did_you_mean(name, metric_names());
      if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(metric_names(), ", "));
      return fail(ErrorCode::usage, fmt::format("unknown metric '{}'{}", one_line(name), hint), option);
    }
    metrics.push_back(*metric);
  }
  return metrics;
}

Result<std::vector<WeightedWorkload>> workloads_of(const DesignSpace& space, const PredictionArguments& prediction) {
  std::vector<WeightedWorkload> workloads;
  for (const WorkloadChoice& choice : space.workloads) {
    workloads.push_back(TRY(load(choice, prediction)));
  }
  return workloads;
}

// Metrics that are ranked or bounded by: axis_notes() asks.
std::vector<Metric> weighed(const std::vector<Metric>& objectives, const DesignSpace& space,
                            const OptimiseArguments& arguments) {
  std::vector<Metric> result = objectives;
  std::vector<std::string> constraints = space.constraints;
  constraints.insert(constraints.end(), arguments.constraints.begin(), arguments.constraints.end());
  const auto limits = Limits::parse(constraints);
  for (std::size_t m = 0; limits && m < kMetrics; ++m) {
    if (limits->names(static_cast<Metric>(m))) result.push_back(static_cast<Metric>(m));
  }
  return result;
}

Result<void> run(OptimiseArguments& arguments) {
  const std::vector<Metric>& objectives = arguments.minimise;
  if (!arguments.plot.empty() && objectives.size() < 2) {
    return fail(ErrorCode::usage, "draws a front: --minimise needs two metrics", "--plot");
  }
  if (arguments.threads && arguments.prediction.method.method == Method::delta) {
    return usage("--threads: method delta takes one thread; use another method");
  }
  if (const auto read = Constraints::parse(arguments.constraints); !read) return usage(read.error().text());
  TRY(complete(arguments.prediction));
  const auto text = TRY(read_text_file(arguments.space, kMaxTomlFile));
  const auto space = TRY(parse_space(text, arguments.space));
  const auto workloads = TRY(workloads_of(space, arguments.prediction));
  const PredictOptions predicted = predict_options(arguments.prediction);
  const auto evaluator = TRY(make_evaluator(space, workloads, predicted));

  const std::vector<Metric> metrics = weighed(objectives, space, arguments);
  const bool needs_costs = std::any_of(metrics.begin(), metrics.end(), [](Metric metric) { return as_cost(metric); });
  const auto costs = TRY(load_costs(arguments.costs));
  const auto model = cost_model_of(costs, space.base);
  if (!model && needs_costs) return tl::unexpected(model.error());

  OptimiseOptions options;
  options.objectives = objectives;
  options.constraints = arguments.constraints;
  options.costs = model ? &costs : nullptr;
  options.trials = static_cast<std::size_t>(arguments.trials);
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  // A design takes the batch method less than a thread takes to start.
  if (predicted.method != Method::delta) {
    options.threads = arguments.threads ? static_cast<unsigned>(*arguments.threads) : machine_threads();
  }
  const InterruptAsked signals;
  options.stop = &InterruptAsked::flag();
  std::optional<Optimum> optimum;
  {
    Progress progress("designs");
    options.progress = [&](std::size_t tried) { progress.show(tried, options.trials); };
    auto found = optimise(space, *evaluator, options);
    if (!found) {
      Error error = found.error();
      if (error.where.empty()) error.where = arguments.space;
      return tl::unexpected(std::move(error));
    }
    optimum = std::move(*found);
  }
  if (optimum->stopped) {
    InterruptAsked::say_partial(fmt::format("the best of {} designs so far, without what limits it", optimum->trials));
  }
  const OptimumReport report = {.space = space,
                                .optimum = *optimum,
                                .method = label_of(predicted),
                                .seed = options.seed,
                                .has_costs = options.costs != nullptr,
                                .notes = axis_notes(space, *evaluator, metrics)};
  if (!arguments.plot.empty()) {
    TRY(write_picture(arguments.plot, optimum_svg(report)));
  }
  return write_report(arguments.output, kOptimumWriters, report);
}

}  // namespace

void add_optimise(CommandList& commands) {
  auto [app, arguments] = commands.add<OptimiseArguments>(
      "optimise", "Find the best design in a space, cheapest for a speed or fastest for a cost",
      "rooftile optimise space.toml --minimise power --constraint \"time < 9ms\"", run);
  app->alias("optimize");
  constexpr std::int64_t kMostTrials = 100000000, kMostThreads = 1024, kMostSeed = std::int64_t{1} << 53;
  add_text(app, "SPACE", arguments.space, "FILE", "a design space (TOML), as for explore")->required();
  add_value(app, "--minimise,--minimize", arguments.minimise, "time|area|power|manufacturing_cost|energy|AXIS,…",
            parse_metrics, "what to minimise; several: their Pareto front")
      ->required();
  add_texts(app, "--constraint", arguments.constraints, "CONDITION",
            "what must hold, as in \"time <= 20 ms and manufacturing_cost < 400 USD\"; repeatable");
  add_text(app, "--costs", arguments.costs, "FILE", "costs (TOML) that override the built-in ones (docs/costs.md)");
  add_method(app, arguments.prediction.method)
      ->description("as for predict (default: rooftile); delta tries a design in microseconds");
  add_precision(app, arguments.prediction.precision);
  add_count(app, "--trials", arguments.trials, kMostTrials, "most designs to try (default: 10000)")->group("Search");
  add_count(app, "--seed", arguments.seed, kMostSeed, "random seed (default: 1); the same seed gives the same answer")
      ->group("Search");
  add_count(app, "--threads", arguments.threads, kMostThreads,
            "CPU threads for methods other than delta (default: all)")
      ->group("Search");
  add_picture(app, "--plot", arguments.plot, "draw the front of two metrics");
  add_output_options(app, arguments.output, kOptimumWriters);
}

}  // namespace rooftile::cli
