// rooftile explore: designs of a space file, or the scaling study of the DeLTA paper.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/explore/axis_notes.hpp"
#include "rooftile/explore/constraint.hpp"
#include "rooftile/explore/cost_file.hpp"
#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/rows.hpp"
#include "rooftile/explore/scaling.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/ingest/text_file.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

// Ctrl-C ends the exploration, not the program; a second one ends that too.
class InterruptAsked {
 public:
  InterruptAsked() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~InterruptAsked() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  InterruptAsked(const InterruptAsked&) = delete;
  InterruptAsked& operator=(const InterruptAsked&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

Result<WeightedWorkload> load(const WorkloadChoice& choice, const PredictionArguments& prediction) {
  ModelOptions options = model_options(prediction);
  if (choice.batch_size) options.batch_size = choice.batch_size;
  auto workload = load_model(choice.model, options);
  if (!workload) return tl::unexpected(workload.error());
  return WeightedWorkload{std::move(*workload), choice.weight, choice.convolutions_only};
}

Result<void> prepare_folder(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    return fail(ErrorCode::io, "is no folder; -o takes one, existing or new", folder);
  }
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::io, error.message(), folder);
  return {};
}

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
  return fail(ErrorCode::usage, fmt::format("'{}' is no axis of the space{}", one_line(name), hint),
              std::string(option));
}

// A metric that designs can differ in: an axis, or what comes of a design.
Result<Metric> metric_of(std::string_view option, const std::string& name, const DesignSpace& space) {
  std::vector<std::string> names = axis_names(space);
  for (const Metric metric : {Metric::time, Metric::area, Metric::power, Metric::price, Metric::energy}) {
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
  const auto rank_by = metric_of("--rank-by", arguments.rank_by, space);
  if (!rank_by) return tl::unexpected(rank_by.error());
  options.rank_by = *rank_by;
  for (const std::string& name : arguments.pareto) {
    const auto metric = metric_of("--pareto", name, space);
    if (!metric) return tl::unexpected(metric.error());
    const bool known = std::find(options.pareto.begin(), options.pareto.end(), *metric) != options.pareto.end();
    if (*metric != Metric::time && !known) options.pareto.push_back(*metric);
  }
  if (!arguments.pareto.empty() && options.pareto.empty()) {
    return fail(ErrorCode::usage, "needs something besides time, as in price", "--pareto");
  }
  if (!arguments.heat_map.empty()) {
    std::array<std::size_t, 2> places{};
    if (arguments.heat_map.size() != places.size() || arguments.heat_map[0] == arguments.heat_map[1]) {
      return fail(ErrorCode::usage, "takes two different axes, as in sm_count,dram_bandwidth", "--heat-map");
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto axis = axis_of("--heat-map", arguments.heat_map[i], space);
      if (!axis) return tl::unexpected(axis.error());
      places[i] = *axis;
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
  if (!named && !arguments.with_costs && arguments.costs.empty()) return std::nullopt;
  auto table = load_costs(arguments.costs);
  if (!table) return tl::unexpected(table.error());
  return std::move(*table);
}

// What goes into the folder of -o.
Result<void> write_folder(const std::string& folder, const ExploreReport& report) {
  const auto write = [&](const char* name, const std::string& text) {
    return write_output((fs::path(folder) / name).string(), text);
  };
  if (auto result = write("report.txt", explore_table(report)); !result) return result;
  if (auto result = write("best.csv", designs_csv(report, report.results.best.designs())); !result) return result;
  if (!report.results.pareto.metrics().empty()) {
    if (auto result = write("pareto.csv", designs_csv(report, report.results.pareto.designs())); !result) return result;
    if (auto result = write("pareto.svg", pareto_svg(report)); !result) return result;
  }
  if (!report.results.heat_map) return {};
  if (auto result = write("heat_map.csv", heat_map_csv(report, *report.results.heat_map)); !result) return result;
  return write("heat_map.svg", heat_map_svg(report, *report.results.heat_map));
}

// The files that get all designs.
struct RowFiles {
  std::vector<std::unique_ptr<RowFile>> files;
  std::vector<std::unique_ptr<RowSink>> sinks;

  template <class Rows, class... Arguments>
  Result<void> add(const std::string& path, Arguments&&... arguments) {
    if (path.empty()) return {};
    files.push_back(std::make_unique<RowFile>(path));
    if (auto result = files.back()->open(); !result) return result;
    auto rows = std::make_unique<Rows>(*files.back(), std::forward<Arguments>(arguments)...);
    const std::string header = rows->header();
    sinks.push_back(std::move(rows));
    return files.back()->write(header);
  }
};

Result<void> explore_space(const ExploreArguments& arguments) {
  const auto text = read_text_file(arguments.space);
  if (!text) return tl::unexpected(text.error());
  const auto space = parse_space(*text, arguments.space);
  if (!space) return tl::unexpected(space.error());
  const auto results = result_options(arguments, *space);
  if (!results) return tl::unexpected(results.error());
  std::vector<WeightedWorkload> workloads;
  for (const WorkloadChoice& choice : space->workloads) {
    auto workload = load(choice, arguments.prediction);
    if (!workload) return tl::unexpected(workload.error());
    workloads.push_back(std::move(*workload));
  }
  const PredictOptions predicted = predict_options(arguments.prediction);
  const auto evaluator = make_evaluator(*space, workloads, predicted);
  if (!evaluator) return tl::unexpected(evaluator.error());
  const std::vector<Metric> weighed = weighed_metrics(*results, *space);
  const auto costs = costs_of(arguments, weighed);
  if (!costs) return tl::unexpected(costs.error());
  const CostTable* table = *costs ? &**costs : nullptr;
  auto unbounded = DesignEvaluation::make(**evaluator, space->base, {}, table);
  if (!unbounded) return tl::unexpected(unbounded.error());
  const DesignOutcome base = evaluate_one(*unbounded, design_of(space->base));
  if (auto result = prepare_folder(arguments.folder); !result) return result;

  const std::vector<LayerColumn>& layers = (*evaluator)->layers();
  RowFiles rows;
  if (auto result =
          rows.add<CsvRows>(arguments.csv, *space, layers, arguments.layer_times, base.time, table != nullptr);
      !result) {
    return result;
  }
  if (auto result = rows.add<BinaryRows>(arguments.rows, *space, layers, table != nullptr); !result) return result;

  ExploreOptions options;
  options.results = *results;
  options.costs = table;
  options.threads =
      arguments.threads ? static_cast<unsigned>(*arguments.threads) : std::max(1U, std::thread::hardware_concurrency());
  options.stop = &interrupted;
  for (const auto& sink : rows.sinks) options.sinks.push_back(sink.get());
  const InterruptAsked signals;
  std::optional<ExploreResults> explored;
  {
    Progress progress("designs");
    options.progress = [&](std::uint64_t done) { progress.show(done, space->size()); };
    auto done = explore(*space, **evaluator, options);
    if (!done) return tl::unexpected(done.error());
    explored = std::move(*done);
  }
  for (const auto& file : rows.files) {
    if (auto result = file->finish(); !result) return result;
  }
  if (interrupted) {
    write_error(fmt::format("stopped: {} of {} designs are done, and kept", explored->designs, space->size()));
  }
  if (explored->unfit[0] == 0 && explored->designs == space->size()) {
    std::string reasons;
    for (std::size_t u = 1; u < kUnfits; ++u) {
      if (explored->unfit[u] == 0) continue;
      reasons +=
          fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", explored->unfit[u], reason_of(static_cast<Unfit>(u)));
    }
    return fail(ErrorCode::bad_input, fmt::format("none of its {} designs is possible ({})", space->size(), reasons),
                arguments.space);
  }
  const ExploreReport report = {*space,
                                *explored,
                                label_of(predicted),
                                base.time,
                                table != nullptr ? std::optional(base.costs) : std::nullopt,
                                axis_notes(*space, **evaluator, weighed)};
  if (!arguments.folder.empty()) {
    if (auto result = write_folder(arguments.folder, report); !result) return result;
  }
  return write_output("", explore_table(report));
}

Result<void> explore_scaling(const ExploreArguments& arguments) {
  constexpr std::int64_t kBatch = 256;  // the paper's
  PredictionArguments prediction = arguments.prediction;
  if (!prediction.batch_size) prediction.batch_size = kBatch;
  const auto gpu = gpu_of_option(prediction.gpus.empty() ? "titan-xp-delta" : prediction.gpus.front());
  if (!gpu) return tl::unexpected(gpu.error());
  const std::string model = arguments.space.empty() ? "resnet152" : arguments.space;
  auto workload = load({.model = model, .batch_size = {}, .convolutions_only = !arguments.all_layers}, prediction);
  if (!workload) return tl::unexpected(workload.error());
  const PredictOptions predicted = predict_options(prediction);
  const auto rows = scaling_study(*gpu, *workload, predicted);
  if (!rows) return tl::unexpected(rows.error());
  const std::string what = fmt::format("The options of Table 16a over {}: {} of {} at batch {}, method {}", gpu->id,
                                       arguments.all_layers ? "all layers" : "convolutions", workload->workload.name,
                                       workload->workload.batch_size, label_of(predicted));
  if (auto result = prepare_folder(arguments.folder); !result) return result;
  if (!arguments.folder.empty()) {
    const auto write = [&](const char* name, const std::string& text) {
      return write_output((fs::path(arguments.folder) / name).string(), text);
    };
    if (auto result = write("scaling.csv", scaling_csv(*rows)); !result) return result;
    if (auto result = write("scaling.svg", scaling_svg(what, *rows)); !result) return result;
  }
  return write_output("", scaling_table(what, *rows));
}

}  // namespace

Result<void> explore(const ExploreArguments& arguments) {
  return arguments.scaling ? explore_scaling(arguments) : explore_space(arguments);
}

}  // namespace rooftile::cli
