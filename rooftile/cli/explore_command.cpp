// rooftile explore: designs of a space file, by this program alone or by many ranks.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/cli/explore_preparation.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/rank_timeout_option.hpp"
#include "rooftile/cli/version.hpp"
#include "rooftile/cluster/cluster_explore.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/axis_notes.hpp"
#include "rooftile/explore/checkpoint.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/fingerprint.hpp"
#include "rooftile/explore/rows.hpp"
#include "rooftile/report/explore.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

std::string grouped(std::uint64_t count) { return rooftile::grouped(static_cast<double>(count)); }

// What goes into the folder of -o.
Result<void> write_folder(const std::string& folder, const ExploreReport& report) {
  const auto write = [&](const char* name, const std::string& text) {
    return write_output((fs::path(folder) / name).string(), text);
  };
  TRY(write("report.txt", explore_table(report)));
  TRY(write("best.csv", designs_csv(report, report.results.best.designs())));
  if (!report.results.pareto.metrics().empty()) {
    TRY(write("pareto.csv", designs_csv(report, report.results.pareto.designs())));
    TRY(write("pareto.svg", pareto_svg(report)));
  }
  if (!report.results.heat_map) return {};
  TRY(write("heat_map.csv", heat_map_csv(report, *report.results.heat_map)));
  return write("heat_map.svg", heat_map_svg(report, *report.results.heat_map));
}

// Of the designs that are shown, those that draw more or are larger than can be. Nothing is said where the table lacks
// something of the GPU: nobody asked for costs.
std::set<std::uint64_t> beyond_limits(const Prepared& prepared, const ExploreResults& explored, double power,
                                      double reticle, const CostTable& costs) {
  auto evaluation = DesignEvaluation::make(*prepared.evaluator, prepared.space.base, {}, &costs);
  if (!evaluation) return {};
  std::set<std::uint64_t> beyond;
  constexpr std::size_t kMost = 1000;  // of a long front no more are shown
  for (const auto& designs : {explored.best.designs(), explored.pareto.designs()}) {
    for (const RankedDesign& design : std::span(designs).first(std::min(designs.size(), kMost))) {
      const auto cost = evaluate_one(*evaluation, design.point).costs;
      const auto exceeds = [&](Cost which, double limit) {
        return limit > 0 && cost[static_cast<std::size_t>(which)] > limit;
      };
      if (exceeds(Cost::power, power) || exceeds(Cost::area, reticle)) beyond.insert(design.index);
    }
  }
  return beyond;
}

Result<void> print_report(const ExploreReport& report, Format format) {
  switch (format) {
    case Format::json:
      return write_output("", explore_json(report));
    case Format::csv:
      return write_output("", designs_csv(report, report.results.best.designs()));
    default:
      return write_output("", explore_table(report, page_width("")));
  }
}

// The files that get all designs.
struct RowFiles {
  std::vector<std::unique_ptr<WholeFile>> files;
  std::vector<std::unique_ptr<RowSink>> sinks;

  template <class Rows, class... Arguments>
  Result<void> add(const std::string& path, Arguments&&... arguments) {
    if (path.empty()) return {};
    auto file = TRY(WholeFile::create(path));
    files.push_back(std::make_unique<WholeFile>(std::move(file)));
    auto rows = std::make_unique<Rows>(*files.back(), std::forward<Arguments>(arguments)...);
    const std::string header = rows->header();
    sinks.push_back(std::move(rows));
    return files.back()->write(header);
  }
};

ExploreOptions options_of(const ExploreArguments& arguments, const Prepared& prepared) {
  ExploreOptions options;
  options.results = prepared.results;
  options.costs = prepared.table();
  const unsigned own = arguments.ranks != nullptr ? arguments.ranks->threads : machine_threads();
  options.threads = arguments.threads ? static_cast<unsigned>(*arguments.threads) : std::max(1U, own);
  options.stop = &InterruptAsked::flag();
  return options;
}

Fingerprint fingerprint_of(const Prepared& prepared, const ExploreOptions& options) {
  return rooftile::fingerprint_of(prepared.space, *prepared.evaluator, options, version(),
                                  label_of(prepared.predicted));
}

// The file of --checkpoint.
class CheckpointFile {
 public:
  CheckpointFile(std::string path, const Fingerprint& fingerprint)
      : path_(std::move(path)), fingerprint_(fingerprint) {}

  // What stands in it, which a line tells; it is written at once, so that one that cannot be is an error before the
  // work and not after.
  Result<ExploreState> load(const Prepared& prepared) {
    auto state = load_checkpoint(path_, prepared.space, prepared.results, fingerprint_);
    if (!state) return state;
    TRY(write(*state));
    if (state->results.designs > 0) {
      write_error(fmt::format("resuming from {}: {} of {} designs are done", path_, grouped(state->results.designs),
                              grouped(prepared.space.size())));
    }
    return state;
  }
  // An error does not end the work, and a line tells the first one; the next time it may go well.
  void save(const ExploreState& state) {
    last_ = write(state);
    if (!last_ && !std::exchange(told_, true)) write_error(last_.error().text() + "; the exploration goes on");
  }
  // Of the last time.
  const Result<void>& result() const { return last_; }

 private:
  Result<void> write(const ExploreState& state) const {
    return write_whole_file(path_, checkpoint_bytes(fingerprint_, state), Durability::disk);
  }
  std::string path_;
  const Fingerprint& fingerprint_;
  Result<void> last_;
  bool told_ = false;
};

// By this program alone, or by all ranks.
Result<ExploreState> explore_all(const ExploreArguments& arguments, const Prepared& prepared,
                                 const ExploreOptions& options, const Fingerprint& fingerprint, ExploreState from) {
  if (arguments.ranks == nullptr) {
    const BlockSet rest = from.done.others(blocks_of(prepared.space));
    return explore_blocks(prepared.space, *prepared.evaluator, options, rest, std::move(from));
  }
  cluster::CoordinatorSettings settings;
  settings.patience = arguments.rank_timeout;
  auto coordinated =
      cluster::coordinate({prepared.space, *prepared.evaluator, options, fingerprint}, std::move(from),
                          arguments.ranks->transport, settings, [&](const std::string& line) { write_error(line); });
  arguments.ranks->over = true;
  arguments.ranks->rank_lost = coordinated.rank_lost;
  return std::move(coordinated.state);
}

// A rank that is not the first, until the first says that it is over.
Result<void> help_first_rank(const ExploreArguments& arguments) {
  cluster::Ranks& ranks = *arguments.ranks;
  cluster::WorkerSettings settings;
  constexpr double kMorePatience = 4;  // rank 0 may be long over a file
  settings.patience = kMorePatience * arguments.rank_timeout;
  ranks.over = true;
  const auto prepared = prepare(arguments);
  if (!prepared) {
    ranks.rank_lost =
        cluster::report_failure(ranks.transport, {cluster::host_name(), prepared.error()}, settings).rank_lost;
    return tl::unexpected(prepared.error());
  }
  const ExploreOptions options = options_of(arguments, *prepared);
  const Fingerprint fingerprint = fingerprint_of(*prepared, options);
  const auto finish =
      cluster::serve({prepared->space, *prepared->evaluator, options, fingerprint}, ranks.transport, settings);
  ranks.rank_lost = !finish || finish->rank_lost;
  TRY(finish);
  return {};
}

// What keeps each of the designs from being one.
Error none_possible(const ExploreResults& explored, const DesignSpace& space, const std::string& where) {
  std::string reasons;
  for (std::size_t u = 1; u < kUnfits; ++u) {
    if (explored.unfit[u] == 0) continue;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", grouped(explored.unfit[u]),
                           reason_of(static_cast<Unfit>(u)));
  }
  const std::string none = space.size() == 1 ? "its only design is not feasible"
                                             : fmt::format("none of its {} designs is feasible", grouped(space.size()));
  return {ErrorCode::bad_input, fmt::format("{} ({})", none, reasons), where};
}

// A file that grows or is read again; standard output has the report.
Result<std::string> parse_file(const std::string& option, const std::string& text) {
  TRY(check_named(option, text));
  if (text != "-") return text;
  return usage(fmt::format("{} needs a file; the report goes to standard output", option));
}

Result<std::string> parse_csv_file(const std::string& option, const std::string& text) {
  TRY(check_suffix(option, text, {Format::csv}));
  return parse_file(option, text);
}

Result<std::string> parse_rows_file(const std::string& option, const std::string& text) {
  TRY(check_no_report(option, text, ".bin"));
  return parse_file(option, text);
}

Result<std::string> parse_checkpoint_file(const std::string& option, const std::string& text) {
  TRY(check_no_report(option, text, ".checkpoint"));
  return parse_file(option, text);
}

Result<void> check_outputs(const ExploreArguments& arguments) {
  if (!arguments.csv.empty() && arguments.csv == arguments.rows) return usage("--csv and --rows name the same file");
  if (!arguments.heat_map.empty() && arguments.folder.empty() && arguments.checkpoint.empty()) {
    return usage("--heat-map needs -o FOLDER, where it is drawn");
  }
  if (!arguments.pareto.empty() && arguments.format == Format::csv && arguments.folder.empty() &&
      arguments.checkpoint.empty()) {
    return usage("--pareto needs -o FOLDER, or --format table or json; csv has the best designs");
  }
  return {};
}

Result<void> write_reports(const ExploreArguments& arguments, const Prepared& prepared,
                           const ExploreResults& explored) {
  const DesignSpace& space = prepared.space;
  const bool costs = prepared.table() != nullptr;
  const CostTable table = costs ? *prepared.table() : TRY(load_costs({}));
  const double power = space.base.tdp.value_or(Watts()).value(), reticle = table.die.reticle_mm2;
  const ExploreReport report = {
      space,
      explored,
      label_of(prepared.predicted),
      prepared.base.time,
      costs ? std::optional(prepared.base.costs) : std::nullopt,
      axis_notes(space, *prepared.evaluator, prepared.weighed),
      power,
      reticle,
      costs ? std::set<std::uint64_t>() : beyond_limits(prepared, explored, power, reticle, table)};
  if (!arguments.folder.empty()) {
    TRY(write_folder(arguments.folder, report));
  }
  return print_report(report, arguments.format);
}

Result<void> run(ExploreArguments& arguments) {
  TRY(check_outputs(arguments));
  TRY(complete(arguments.prediction));
  const InterruptAsked signals;
  if (arguments.ranks != nullptr && arguments.ranks->transport.rank() != 0) return help_first_rank(arguments);
  const auto prepared = TRY(prepare(arguments));
  const DesignSpace& space = prepared.space;
  TRY(prepare_folder(arguments.folder));

  const std::vector<LayerColumn>& layers = prepared.evaluator->layers();
  const bool costs = prepared.table() != nullptr;
  RowFiles rows;
  if (auto result = rows.add<CsvRows>(arguments.csv, space, layers, arguments.layer_times, prepared.base.time, costs);
      !result) {
    return result;
  }
  TRY(rows.add<BinaryRows>(arguments.rows, space, layers, costs));

  ExploreOptions options = options_of(arguments, prepared);
  for (const auto& sink : rows.sinks) options.sinks.push_back(sink.get());
  const bool fingerprinted = !arguments.checkpoint.empty() || arguments.ranks != nullptr;
  const Fingerprint fingerprint = fingerprinted ? fingerprint_of(prepared, options) : Fingerprint{};
  CheckpointFile checkpoint(arguments.checkpoint, fingerprint);
  ExploreState from = {ExploreResults(space, prepared.results), {}};
  if (!arguments.checkpoint.empty()) {
    auto loaded = TRY(checkpoint.load(prepared));
    from = std::move(loaded);
  }
  std::optional<ExploreResults> explored;
  {
    Progress progress("designs", from.results.designs);
    options.progress = [&](std::uint64_t done) { progress.show(done, space.size()); };
    if (!arguments.checkpoint.empty()) {
      options.save = [&](const ExploreState& state) { checkpoint.save(state); };
    }
    auto done = TRY(explore_all(arguments, prepared, options, fingerprint, std::move(from)));
    explored = std::move(done.results);
  }
  for (const auto& file : rows.files) {
    TRY(file->finish());
  }
  if (InterruptAsked::flag()) {
    InterruptAsked::say_partial(
        fmt::format("{} of {} designs are done, and kept", grouped(explored->designs), grouped(space.size())));
  }
  if (explored->unfit[0] == 0 && explored->designs == space.size()) {
    return tl::unexpected(none_possible(*explored, space, arguments.space));
  }
  TRY(write_reports(arguments, prepared, *explored));
  return checkpoint.result();
}

}  // namespace

void add_explore(CommandList& commands, cluster::Ranks* ranks) {
  auto [app, arguments] = commands.add<ExploreArguments>(
      "explore", "Evaluate a space of GPU designs: the best, the Pareto front, what limits them",
      "rooftile explore space.toml --pareto sm_count,dram_bandwidth -o designs", run);
  arguments.ranks = ranks;
  add_text(app, "SPACE", arguments.space, "FILE", "a design space (TOML)")->required();
  add_method(app, arguments.prediction.method)
      ->description("as for predict (default: rooftile, tens of thousands of designs per second; delta: millions)");
  add_precision(app, arguments.prediction.precision);
  add_text(app, "--costs", arguments.costs, "builtin|FILE",
           "show area, power, manufacturing cost and energy of every design: by the built-in costs, or a file (TOML) "
           "overriding them");
  constexpr std::int64_t kMostBest = 100000, kMostThreads = 1024;
  add_rare(app, {add_count(app, "--threads", arguments.threads, kMostThreads,
                           "CPU threads (default: all); the result does not depend on it")});

  constexpr const char* kReport = "Report";
  add_count(app, "--best", arguments.best, kMostBest, "how many of the best designs to show (default: 10)")
      ->group(kReport);
  add_text(app, "--rank-by", arguments.rank_by, "time|area|power|manufacturing_cost|energy|AXIS", "lowest is best")
      ->group(kReport);
  add_names(app, "--pareto", arguments.pareto, "area|power|manufacturing_cost|energy|AXIS",
            "show the Pareto front of time and all of these")
      ->group(kReport);
  add_names(app, "--heat-map", arguments.heat_map, "AXIS",
            "with -o, of two axes: the best speedup for each pair of values")
      ->group(kReport);
  add_folder(app, "-o,--output", arguments.folder, "folder for the report, CSV and SVG files")->group(kReport);
  add_print_format(app, arguments.format)->group(kReport);

  constexpr const char* kEvery = "Every design";
  CLI::Option* checkpoint = add_value(app, "--checkpoint", arguments.checkpoint, "FILE", parse_checkpoint_file,
                                      "save progress to this file, and resume from it if it exists (docs/cluster.md)");
  checkpoint->group(kEvery);
  if (ranks != nullptr) {
    add_rank_timeout(app, arguments.rank_timeout)->group(kEvery);
    return;
  }
  // Rows of a run that was killed could not be gone on from.
  CLI::Option* csv = add_value(app, "--csv", arguments.csv, "FILE", parse_csv_file, "write every design to this CSV");
  csv->excludes(checkpoint)->group(kEvery);
  app->add_flag("--layer-times", arguments.layer_times, "with --csv: add a column for each layer")
      ->needs(csv)
      ->group(kEvery);
  add_value(app, "--rows", arguments.rows, "FILE", parse_rows_file,
            "write every design and layer time to this binary file (docs/explore.md)")
      ->excludes(checkpoint)
      ->group(kEvery);
}

}  // namespace rooftile::cli
