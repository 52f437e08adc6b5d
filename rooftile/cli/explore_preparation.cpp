#include "rooftile/cli/explore_preparation.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/space_file.hpp"

namespace rooftile::cli {
namespace {

std::vector<std::string> axis_names(const DesignSpace& space) {
  std::vector<std::string> names;
  for (const DesignAxis& axis : space.axes) names.emplace_back(name_of(axis.parameter));
  return names;
}

// The place of a name among the axes of the space.
Result<std::size_t> axis_of(std::string_view option, const std::string& name, const DesignSpace& space) {
  const std::vector<std::string> names = axis_names(space);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("; the axes are {}", fmt::join(names, ", "));
  return fail(ErrorCode::usage, fmt::format("'{}' is not an axis of the space{}", one_line(name), hint),
              std::string(option));
}

// A metric that designs can differ in: an axis, or what comes of a design.
Result<Metric> metric_of(std::string_view option, const std::string& name, const DesignSpace& space) {
  std::vector<std::string> names = axis_names(space);
  for (const Metric metric : {Metric::time, Metric::area, Metric::power, Metric::manufacturing_cost, Metric::energy}) {
    names.emplace_back(name_of(metric));
  }
  if (std::find(names.begin(), names.end(), name) != names.end()) return *find_metric(name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("; it takes {}", fmt::join(names, ", "));
  return fail(ErrorCode::usage, fmt::format("'{}' is neither an axis of the space nor a cost{}", one_line(name), hint),
              std::string(option));
}

Result<ResultOptions> result_options(const ExploreArguments& arguments, const DesignSpace& space) {
  ResultOptions options;
  options.best = static_cast<std::size_t>(arguments.best);
  const auto rank_by = TRY(metric_of("--rank-by", arguments.rank_by, space));
  options.rank_by = rank_by;
  for (const std::string& name : arguments.pareto) {
    const auto metric = TRY(metric_of("--pareto", name, space));
    const bool known = std::find(options.pareto.begin(), options.pareto.end(), metric) != options.pareto.end();
    if (metric != Metric::time && !known) options.pareto.push_back(metric);
  }
  if (!arguments.pareto.empty() && options.pareto.empty()) {
    return fail(ErrorCode::usage, "--pareto needs something besides time, such as manufacturing_cost");
  }
  if (!arguments.heat_map.empty()) {
    std::array<std::size_t, 2> places{};
    if (arguments.heat_map.size() != places.size() || arguments.heat_map[0] == arguments.heat_map[1]) {
      return fail(ErrorCode::usage, "--heat-map takes two different axes, as in sm_count,dram_bandwidth");
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto axis = TRY(axis_of("--heat-map", arguments.heat_map[i], space));
      places[i] = axis;
    }
    constexpr std::size_t kMostCells = 1000000;
    if (space.axes[places[0]].values.size() * space.axes[places[1]].values.size() > kMostCells) {
      return fail(ErrorCode::usage, "the two axes have more than a million pairs of values", "--heat-map");
    }
    options.heat_map = std::pair(places[0], places[1]);
  }
  return options;
}

// Metrics that designs are ranked, traded or bounded by.
std::vector<Metric> weighed_metrics(const ResultOptions& results, const DesignSpace& space) {
  std::vector<Metric> metrics = results.pareto;
  metrics.push_back(results.rank_by);
  if (const auto constraints = Constraints::parse(space.constraints)) {
    for (const Metric metric : constraints->metrics()) metrics.push_back(metric);
  }
  return metrics;
}

// The costs, where anything asks for them.
Result<std::optional<CostTable>> costs_of(const ExploreArguments& arguments, const std::vector<Metric>& weighed) {
  const bool named = std::any_of(weighed.begin(), weighed.end(), [](Metric metric) { return as_cost(metric); });
  if (!named && arguments.costs.empty()) return std::nullopt;
  return TRY(load_costs(arguments.costs == "builtin" ? "" : arguments.costs));
}

}  // namespace

Result<WeightedWorkload> load(const WorkloadChoice& choice, const PredictionArguments& prediction) {
  ModelOptions options = model_options(prediction);
  if (choice.batch_size) options.batch_size = choice.batch_size;
  auto workload = TRY(load_model(choice.model, options));
  return WeightedWorkload{std::move(workload), choice.weight, choice.convolutions_only, choice.phase};
}

Result<Prepared> prepare(const ExploreArguments& arguments) {
  const auto text = TRY(read_text_file(arguments.space, kMaxTomlFile));
  auto space = TRY(parse_space(text, arguments.space));
  auto results = TRY(result_options(arguments, space));
  std::vector<WeightedWorkload> workloads;
  for (const WorkloadChoice& choice : space.workloads) {
    auto workload = TRY(load(choice, arguments.prediction));
    workloads.push_back(std::move(workload));
  }
  PredictOptions predicted = predict_options(arguments.prediction);
  auto evaluator = TRY(make_evaluator(space, workloads, predicted));
  std::vector<Metric> weighed = weighed_metrics(results, space);
  auto costs = TRY(costs_of(arguments, weighed));
  auto unbounded = TRY(DesignEvaluation::make(*evaluator, space.base, {}, costs ? &*costs : nullptr));
  DesignOutcome base = evaluate_one(unbounded, design_of(space.base));
  return Prepared{std::move(space),     std::move(results), std::move(weighed), std::move(predicted),
                  std::move(evaluator), std::move(costs),   std::move(base)};
}

}  // namespace rooftile::cli
