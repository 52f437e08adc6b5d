// rooftile fit TABLE.csv… --model calibration: factors of one GPU from a few measured rows of it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/fit_tables.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/learn/few_points_trial.hpp"
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
    const auto gpu = gpus.find(point.row->gpu);
    if (!gpu) return tl::unexpected(gpu.error());
    if (!only.empty() && only != (*gpu)->id) {
      return fail(ErrorCode::usage, fmt::format("rows of several GPUs ({}, {}, …); name one", only, (*gpu)->id),
                  "--gpu");
    }
    only = (*gpu)->id;
  }
  return only;
}

Error no_point_on(const std::string& gpu, const std::vector<Point>& all) {
  if (all.empty()) return {ErrorCode::bad_input, "no measured row to calibrate with", {}};
  return {ErrorCode::bad_input,
          fmt::format("no measured row of {} that can be predicted; the first row is of {}", gpu,
                      one_line(all.front().row->gpu, 40)),
          {}};
}

// The points of a GPU that can be predicted. Error: a row that cannot, unless `skip`.
Result<std::vector<Point>> points_on(const FitTables& rows, const std::string& named, bool skip, std::string& gpu) {
  FitRowsOptions options;
  options.keep = rows_where(rows.tables, rows.where);
  std::vector<Point> all;
  std::vector<std::string> places;
  for (std::size_t table = 0; table < rows.tables.size(); ++table) {
    for (const Point& point : points_of(rows.tables[table], table, options)) {
      if (point.row->gpu.empty()) {
        return fail(ErrorCode::bad_input, "is empty; fill it or give --gpu",
                    fmt::format("{}:{}, column gpu", rows.tables[table].name(), point.row->line));
      }
      all.push_back(point);
      places.push_back(fmt::format("{}:{}", rows.tables[table].name(), point.row->line));
    }
  }
  auto id = gpu_of(all, named);
  if (!id) return tl::unexpected(id.error());
  gpu = *id;
  FactorModel model(builtin_calibration(), gpu);
  GpuCache gpus;
  std::vector<Point> points;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto own = gpus.find(all[i].row->gpu);
    if (own && (*own)->id != gpu) continue;
    const auto time = model.time(*all[i].row, {});
    if (!time && !skip) return fail(time.error().code, time.error().text(), places[i]);
    if (time) points.push_back(all[i]);
  }
  if (points.empty()) return tl::unexpected(no_point_on(gpu, all));
  return points;
}

Result<void> calibrate_gpu(const FitModelArguments& arguments, const FitTables& rows) {
  std::string gpu;
  const auto points = points_on(rows, arguments.gpu, arguments.skip_bad_rows, gpu);
  if (!points) return tl::unexpected(points.error());
  FactorModel model(builtin_calibration(), gpu);
  const FactorPrior prior = shipped_factor_prior();
  const auto fitted = fit_few_points(*points, model, prior);
  if (!fitted) return tl::unexpected(fitted.error());
  const auto crossed = cross_validated(*points, model, prior);
  if (!crossed) return tl::unexpected(crossed.error());
  if (!arguments.output.empty()) {
    const std::string data = fmt::format("{}", fmt::join(arguments.tables, ", "));
    const Calibration calibration = calibration_of(*fitted, gpu, data, arguments.date);
    if (auto written = write_output(arguments.output, write_calibration(calibration)); !written) return written;
    if (arguments.output == "-") return {};
  }
  return write_output("", few_points_report(*fitted, *crossed, gpu));
}

Result<void> try_calibration(const FitModelArguments& arguments, const FitTables& rows) {
  constexpr std::int64_t kMostPoints = 1000, kMostDraws = 10000;
  FewPointsTrialOptions options;
  options.rows.keep = rows_where(rows.tables, rows.where);
  const auto counts = parse_list("--points", arguments.points);
  if (!counts) return tl::unexpected(counts.error());
  options.points.clear();
  for (const std::string& count : *counts) {
    const auto points = parse_count("--points", count, kMostPoints);
    if (!points) return tl::unexpected(points.error());
    options.points.push_back(static_cast<std::size_t>(*points));
  }
  if (!arguments.draws.empty()) {
    const auto draws = parse_count("--draws", arguments.draws, kMostDraws);
    if (!draws) return tl::unexpected(draws.error());
    options.draws = static_cast<std::size_t>(*draws);
  }
  if (!arguments.tier.empty() && arguments.tier != "none" && arguments.tier != "shipped") {
    return fail(ErrorCode::usage, fmt::format("'{}' is not none or shipped", arguments.tier), "--tier");
  }
  options.known_harness = !arguments.unknown_harness;
  options.left_out = arguments.tier != "shipped";
  const auto trials = try_few_points(rows.tables, options);
  if (!trials) return tl::unexpected(trials.error());
  return write_output(arguments.output, few_points_trials_report(*trials, options));
}

}  // namespace

Result<void> fit_calibration(const FitModelArguments& arguments) {
  const auto rows = read_rows(arguments);
  if (!rows) return tl::unexpected(rows.error());
  return arguments.points.empty() ? calibrate_gpu(arguments, *rows) : try_calibration(arguments, *rows);
}

}  // namespace rooftile::cli
