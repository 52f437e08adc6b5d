// rooftile fit TABLE.csv… --model calibration: factors of one GPU from a few measured rows of it, and which to measure.
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/fit_tables.hpp"
#include "rooftile/cli/fit_trial.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/learn/factors/few_points_choice.hpp"
#include "rooftile/learn/factors/few_points_trial.hpp"
#include "rooftile/report/few_points.hpp"

namespace rooftile::cli {
namespace {

Result<FitTables> read_rows(const FitModelArguments& arguments) {
  auto measured = read_fit_tables(arguments, arguments.gpu);
  if (!measured) return tl::unexpected(measured.error());
  for (const MeasuredTable& table : measured->tables) {
    if (arguments.skip_bad_rows || table.table().unsupported.empty()) continue;
    const UnsupportedRow& row = table.table().unsupported.front();
    return fail(ErrorCode::unsupported, row.what + " are not predicted; --skip-bad-rows leaves them out",
                fmt::format("{}:{}", table.name(), row.line));
  }
  return measured;
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
      return fail(ErrorCode::usage, fmt::format("rows of several GPUs ({}, {}, …); name one", only, gpu->id), "--gpu");
    }
    only = gpu->id;
  }
  return only;
}

Error no_point_on(const std::string& gpu, const std::vector<Point>& all, bool measured) {
  const char* what = measured ? "measured row" : "row";
  if (all.empty()) return {ErrorCode::bad_input, fmt::format("no {} to calibrate with", what), {}};
  return {ErrorCode::bad_input,
          fmt::format("no {} of {} that can be predicted; the first row is of {}", what, gpu,
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
Result<PlacedPoints> points_on(const FitTables& rows, const FitModelArguments& arguments, bool measured) {
  FitRowsOptions options;
  options.keep = rows_where(rows.tables, rows.where);
  std::vector<Point> all;
  std::vector<std::string> places;
  for (std::size_t table = 0; table < rows.tables.size(); ++table) {
    const MeasuredTable& of_table = rows.tables[table];
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
  write_error(fmt::format("note: {} of {} rows take part, evenly spread", most, count));
  return all;
}

Result<void> calibrate_gpu(const FitModelArguments& arguments, const FitTables& rows) {
  auto all = TRY(points_on(rows, arguments, true));
  const PlacedPoints points = spread(std::move(all), kMostPoints);
  FactorModel model(builtin_calibration(), points.gpu);
  const FactorPrior prior = shipped_factor_prior();
  const auto fitted = TRY(fit_few_points(points.points, model, prior));
  const auto crossed = TRY(cross_validated(points.points, model, prior));
  if (!arguments.output.empty()) {
    const std::string data = fmt::format("{}", fmt::join(arguments.tables, ", "));
    const Calibration calibration = calibration_of(fitted, points.gpu, data, arguments.date);
    if (auto written = write_output(arguments.output, write_calibration(calibration)); !written) return written;
    if (arguments.output == "-") return {};
  }
  return write_output("", few_points_report(fitted, crossed, points.gpu));
}

// Which rows to measure.
Result<void> suggest_points(const FitModelArguments& arguments, const FitTables& rows) {
  constexpr std::int64_t kMostChosen = 200;
  constexpr std::size_t kMostRows = 1500;
  const auto count = TRY(parse_count("--suggest", arguments.suggest, kMostChosen));
  auto all = TRY(points_on(rows, arguments, false));
  const PlacedPoints points = spread(std::move(all), kMostRows);
  FactorModel model(builtin_calibration(), points.gpu);
  auto linear = TRY(linearise(points.points, model, FactorLogs{}));
  if (arguments.unknown_harness) {
    for (LinearPoint& row : linear) row.known_framework = false;
  }
  std::vector<std::size_t> pool(linear.size());
  std::iota(pool.begin(), pool.end(), 0);
  const auto chosen = most_telling(linear, pool, static_cast<std::size_t>(count), shipped_factor_prior());
  return write_output(arguments.output, suggested_points_report(chosen, linear, points.places, points.gpu));
}

Result<void> try_calibration(const FitModelArguments& arguments, const FitTables& rows) {
  constexpr std::int64_t kMostTrialPoints = 1000;
  FewPointsTrialOptions options;
  options.rows.keep = rows_where(rows.tables, rows.where);
  if (auto read = read_trial(arguments, kMostTrialPoints, options.points, options.draws); !read) return read;
  if (!arguments.tier.empty() && arguments.tier != "none" && arguments.tier != "shipped") {
    return fail(ErrorCode::usage, fmt::format("'{}' is not none or shipped", arguments.tier), "--tier");
  }
  options.known_harness = !arguments.unknown_harness;
  options.chosen = arguments.chosen;
  options.left_out = arguments.tier != "shipped";
  const auto trials = TRY(try_few_points(rows.tables, options));
  return write_output(arguments.output, few_points_trials_report(trials, options));
}

}  // namespace

Result<void> fit_calibration(const FitModelArguments& arguments) {
  const bool fits = arguments.suggest.empty() && arguments.points.empty();
  TRY(check_suffix("-o", arguments.output, {fits ? Format::toml : Format::table}));
  const auto rows = TRY(read_rows(arguments));
  if (!arguments.suggest.empty()) return suggest_points(arguments, rows);
  return arguments.points.empty() ? calibrate_gpu(arguments, rows) : try_calibration(arguments, rows);
}

}  // namespace rooftile::cli
