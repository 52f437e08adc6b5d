// rooftile fit factors TABLE.csv…: factors of one GPU from a few measured rows of it, and which to measure.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_options.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/learn/factors/few_points.hpp"
#include "rooftile/learn/factors/few_points_choice.hpp"
#include "rooftile/learn/factors/few_points_trial.hpp"
#include "rooftile/report/few_points.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

struct FactorsArguments : FitArguments {
  std::optional<std::size_t> suggest;  // so many rows to measure, instead of a fit
  FewPointsTrialOptions trial;         // of --points, instead of a fit
  bool is_trial = false, unknown_harness = false;
};

using Tables = std::vector<MeasuredTable>;

Result<Tables> read_rows(const FactorsArguments& arguments) {
  auto tables = TRY(read_fit_tables(arguments));
  for (const MeasuredTable& table : tables) {
    if (arguments.skip_bad_rows || table.table().unsupported.empty()) continue;
    const UnsupportedRow& row = table.table().unsupported.front();
    return fail(ErrorCode::unsupported, row.what + " are not predicted; --skip-bad-rows leaves them out",
                fmt::format("{}:{}", table.name(), row.line));
  }
  return tables;
}

// The GPU that the points are of: the named one, else the only one of the rows.
Result<std::string> gpu_of(const std::vector<Point>& points, const std::string& named) {
  GpuCache gpus;
  if (!named.empty()) {
    const auto gpu = gpus.find(named);
    if (!gpu) return fail(gpu.error().code, gpu.error().message, "--gpu");
    return (*gpu)->id;
  }
  std::string only;
  for (const Point& point : points) {
    const auto gpu = TRY(gpus.find(point.row->gpu));
    if (!only.empty() && only != gpu->id) {
      return fail(ErrorCode::usage, fmt::format("the rows are of several GPUs ({}, {}, …); name one", only, gpu->id),
                  "--gpu");
    }
    only = gpu->id;
  }
  return only;
}

Error no_point_on(const std::string& gpu, const std::vector<Point>& all, bool measured) {
  const char* what = measured ? "measured row" : "row";
  if (all.empty()) return {ErrorCode::bad_input, fmt::format("no {} to calibrate with", what), {}};
  return {ErrorCode::bad_input,
          fmt::format("no {} for {} can be predicted; the first row is for {}", what, gpu,
                      one_line(all.front().row->gpu, 40)),
          {}};
}

struct PlacedPoints {
  std::string gpu;
  std::vector<Point> points;
  std::vector<std::string> places;  // "TABLE:LINE"
};

// The rows of the GPU of the arguments that can be predicted, those with times alone where it is `measured` ones that
// are wanted. Error: a row that cannot be predicted, unless such are to be skipped.
Result<PlacedPoints> points_on(const Tables& tables, const FactorsArguments& arguments, bool measured) {
  FitRowsOptions options;
  options.keep = rows_where(tables, arguments.where);
  std::vector<Point> all;
  std::vector<std::string> places;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const MeasuredTable& of_table = tables[table];
    for (const Point& point : measured ? points_of(of_table, table, options) : rows_of(of_table, table, options)) {
      const std::string place = fmt::format("{}:{}", of_table.name(), point.row->line);
      if (point.row->gpu.empty()) {
        return fail(ErrorCode::bad_input, "is empty; fill it or give --gpu", place + ", column gpu");
      }
      all.push_back(point);
      places.push_back(place);
    }
  }
  auto id = TRY(gpu_of(all, arguments.gpu));
  PlacedPoints result{.gpu = std::move(id), .points = {}, .places = {}};
  FactorModel model(builtin_calibration(), result.gpu);
  GpuCache gpus;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto own = gpus.find(all[i].row->gpu);
    if (own && (*own)->id != result.gpu) continue;
    const auto time = model.time(*all[i].row, FactorLogs{});
    if (!time && !arguments.skip_bad_rows) return fail(time.error().code, time.error().text(), places[i]);
    if (!time) continue;
    result.points.push_back(all[i]);
    result.places.push_back(places[i]);
  }
  if (result.points.empty()) return tl::unexpected(no_point_on(result.gpu, all, measured));
  return result;
}

// So many at most, evenly spread.
PlacedPoints spread(PlacedPoints all, std::size_t most) {
  const std::size_t count = all.points.size();
  if (count <= most) return all;
  for (std::size_t i = 0; i < most; ++i) {
    all.points[i] = all.points[i * count / most];
    all.places[i] = all.places[i * count / most];
  }
  all.points.resize(most);
  all.places.resize(most);
  write_error(fmt::format("note: using {} of {} rows, evenly spaced", most, count));
  return all;
}

Result<void> fit_gpu(const FactorsArguments& arguments, const Tables& tables) {
  auto all = TRY(points_on(tables, arguments, true));
  if (all.points.size() < kLeastPoints) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} of {}; factors need {} or more (--suggest lists which to measure)",
                            counted(all.points.size(), "measured row"), all.gpu, kLeastPoints));
  }
  const PlacedPoints points = spread(std::move(all), kMostPoints);
  FactorModel model(builtin_calibration(), points.gpu);
  const FactorPrior prior = shipped_factor_prior();
  const auto fitted = TRY(fit_few_points(points.points, model, prior));
  const auto crossed = TRY(cross_validated(points.points, model, prior));
  if (!arguments.output.empty()) {
    const std::string data = fmt::format("{}", fmt::join(arguments.tables, ", "));
    const Calibration calibration = calibration_of(fitted, points.gpu, data, arguments.date);
    TRY(write_output(arguments.output, write_calibration(calibration)));
    if (arguments.output == "-") return {};
  }
  return write_output("", few_points_report(fitted, crossed, points.gpu, page_width("")));
}

// Which rows to measure.
Result<void> suggest_points(const FactorsArguments& arguments, const Tables& tables) {
  constexpr std::size_t kMostRows = 1500;
  auto all = TRY(points_on(tables, arguments, false));
  const PlacedPoints points = spread(std::move(all), kMostRows);
  FactorModel model(builtin_calibration(), points.gpu);
  auto linear = TRY(linearise(points.points, model, FactorLogs{}));
  if (arguments.unknown_harness) {
    for (LinearPoint& row : linear) row.known_framework = false;
  }
  std::vector<std::size_t> pool(linear.size());
  std::iota(pool.begin(), pool.end(), 0);
  const auto chosen = most_telling(linear, pool, *arguments.suggest, shipped_factor_prior());
  return write_output(arguments.output,
                      suggested_points_report(chosen, linear, points.places, points.gpu, page_width(arguments.output)));
}

Result<void> run(FactorsArguments& arguments) {
  if (!arguments.gpu.empty()) TRY(gpu_of_option(arguments.gpu));
  const auto tables = TRY(read_rows(arguments));
  if (arguments.suggest) return suggest_points(arguments, tables);
  if (!arguments.is_trial) return fit_gpu(arguments, tables);
  FewPointsTrialOptions& trial = arguments.trial;
  trial.rows.keep = rows_where(tables, arguments.where);
  trial.known_harness = !arguments.unknown_harness;
  std::optional<Progress> bar;
  std::string_view counted;
  trial.progress = [&](std::string_view unit, std::size_t done, std::size_t of) {
    if (unit != counted) bar.emplace(counted = unit);
    bar->show(done, of);
  };
  const auto trials = TRY(try_few_points(tables, trial));
  bar.reset();
  return write_output(arguments.output, few_points_trials_report(trials, trial));
}

}  // namespace

void add_fit_factors(CommandList& commands, CLI::App* fit) {
  auto [app, arguments] = commands.add<FactorsArguments>(
      "factors", "Calibrate a GPU: factors on the shipped constants, from 5 or more measured rows",
      "rooftile fit factors mine.csv --gpu t4 -o t4.toml", run, fit);
  add_fit_options(app, arguments, Format::toml, "write the constants (TOML) to this file, for --method rooftile=FILE");
  add_ignore(app, arguments.ignore);
  add_text(app, "--gpu", arguments.gpu, "ID", "the GPU that was measured (default: the only one of the rows)");
  constexpr std::int64_t kMostTrialPoints = 1000, kMostChosen = 200;
  CLI::Option* points = add_trial(app, kMostTrialPoints, arguments.trial.points, arguments.trial.draws);
  bool& is_trial = arguments.is_trial;
  points->each([&is_trial](const std::string&) { is_trial = true; });
  add_choice<bool>(
      app, "--tier", arguments.trial.left_out, {{"none", true}, {"shipped", false}},
      "with --points: constants and prior refitted without the GPU (none, default) or as shipped (shipped)")
      ->needs(points)
      ->group("Trial");
  CLI::Option* suggest = add_count(app, "--suggest", arguments.suggest, kMostChosen,
                                   "list the N rows, with or without times, most worth measuring");
  suggest->excludes(points)->group("Trial");
  app->add_flag("--chosen", arguments.trial.chosen,
                "with --points: pick rows as --suggest would, from half of the rows")
      ->needs(points)
      ->group("Trial");
  CLI::Option* unknown =
      app->add_flag("--unknown-harness", arguments.unknown_harness,
                    "with --points and --suggest: assume the frameworks' overhead per call is unknown");
  unknown->group("Trial");
  commands.need_any(app, {points, suggest}, unknown);
}

}  // namespace rooftile::cli
