// rooftile optimise: the best design of a space file, or a front of several metrics.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/axis_notes.hpp"
#include "rooftile/explore/optimise/optimise.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/report/optimise.hpp"

namespace rooftile::cli {
namespace {

Result<std::vector<Metric>> objectives_of(const OptimiseArguments& arguments) {
  std::vector<Metric> objectives;
  for (const std::string& name : arguments.minimise) {
    const auto metric = find_metric(name);
    if (!metric) {
      std::string hint = did_you_mean(name, metric_names());
      if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(metric_names(), ", "));
      return fail(ErrorCode::usage, fmt::format("unknown metric '{}'{}", one_line(name), hint), "--minimise");
    }
    if (std::find(objectives.begin(), objectives.end(), *metric) != objectives.end()) {
      return fail(ErrorCode::usage, fmt::format("'{}' is there twice", name), "--minimise");
    }
    objectives.push_back(*metric);
  }
  return objectives;
}

Result<std::vector<WeightedWorkload>> workloads_of(const DesignSpace& space, const PredictionArguments& prediction) {
  std::vector<WeightedWorkload> workloads;
  for (const WorkloadChoice& choice : space.workloads) {
    ModelOptions options = model_options(prediction);
    if (choice.batch_size) options.batch_size = choice.batch_size;
    auto workload = TRY(load_model(choice.model, options));
    workloads.push_back({std::move(workload), choice.weight, choice.convolutions_only});
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

}  // namespace

Result<void> optimise(const OptimiseArguments& arguments) {
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  TRY(picture_format("--plot", arguments.plot));
  const auto objectives = objectives_of(arguments);
  if (!objectives) return tl::unexpected(objectives.error());
  if (!arguments.plot.empty() && objectives->size() < 2) {
    return fail(ErrorCode::usage, "draws a front: --minimise needs two metrics", "--plot");
  }
  const auto text = TRY(read_text_file(arguments.space));
  const auto space = TRY(parse_space(text, arguments.space));
  const auto workloads = TRY(workloads_of(space, arguments.prediction));
  const PredictOptions predicted = predict_options(arguments.prediction);
  const auto evaluator = TRY(make_evaluator(space, workloads, predicted));

  const std::vector<Metric> metrics = weighed(*objectives, space, arguments);
  const bool needs_costs = std::any_of(metrics.begin(), metrics.end(), [](Metric metric) { return as_cost(metric); });
  const auto costs = TRY(load_costs(arguments.costs));
  const auto model = cost_model_of(costs, space.base);
  if (!model && needs_costs) return tl::unexpected(model.error());

  OptimiseOptions options;
  options.objectives = *objectives;
  options.constraints = arguments.constraints;
  options.costs = model ? &costs : nullptr;
  options.trials = static_cast<std::size_t>(arguments.trials);
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  // A design takes the batch method less than a thread takes to start.
  if (predicted.method != Method::delta) {
    options.threads = arguments.threads ? static_cast<unsigned>(*arguments.threads)
                                        : std::max(1U, std::thread::hardware_concurrency());
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
    write_error(fmt::format("stopped: the best of {} designs is kept, unexplained", optimum->trials));
  }
  const OptimumReport report = {.space = space,
                                .optimum = *optimum,
                                .method = label_of(predicted),
                                .seed = options.seed,
                                .has_costs = options.costs != nullptr,
                                .notes = axis_notes(space, *evaluator, metrics)};
  if (!arguments.plot.empty()) {
    if (auto written = write_picture(arguments.plot, optimum_svg(report)); !written) return written;
  }
  switch (format) {
    case Format::json:
      return write_output(arguments.output, optimum_json(report));
    case Format::csv:
      return write_output(arguments.output, optimum_csv(report));
    default:
      return write_output(arguments.output, optimum_table(report));
  }
}

}  // namespace rooftile::cli
