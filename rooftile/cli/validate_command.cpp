// rooftile validate TABLE.csv…: predictions against measurements.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/learn/constants/held_out.hpp"
#include "rooftile/report/validation.hpp"
#include "rooftile/validate/validate.hpp"

namespace rooftile::cli {
namespace {

// Methods side by side, each once.
Result<std::vector<PredictOptions>> methods_of(const std::string& text) {
  const auto names = TRY(parse_list("--method", text));
  std::vector<PredictOptions> methods;
  std::set<std::string> labels;
  for (const std::string& name : names) {
    const auto method = TRY(parse_method("--method", name));
    PredictOptions options;
    options.method = method.method;
    options.prior_miss_rate = method.prior_miss_rate;
    TRY(check(options));
    if (!labels.insert(label_of(options)).second) {
      return fail(ErrorCode::usage, fmt::format("'{}' is named twice", name), "--method");
    }
    methods.push_back(std::move(options));
  }
  return methods;
}

// What decides the figures. The columns of --by, --ignore and --where are checked when the tables are read.
Result<ValidateOptions> options_of(const ValidateArguments& arguments) {
  ValidateOptions options;
  auto methods = TRY(methods_of(arguments.method));
  options.methods = std::move(methods);
  const auto quantity = parse_quantity(arguments.quantity);
  if (!quantity) return fail(quantity.error().code, quantity.error().message, "--quantity");
  options.quantity = *quantity;
  auto by = TRY(list_of("--by", arguments.by));
  options.by = std::move(by);
  auto ignored = TRY(list_of("--ignore", arguments.ignore));
  options.ignore = std::move(ignored);
  auto where = TRY(parse_where(arguments.where));
  options.where = std::move(where);
  options.flagged = arguments.flagged;
  options.bias_kernel = arguments.bias_kernel;
  options.skip_bad_rows = arguments.skip_bad_rows;
  if (options.bias_kernel && options.quantity == ComparedQuantity::time) {
    return fail(ErrorCode::usage, "--bias-kernel is for --quantity l1, l2, dram and launches; it changes no time");
  }
  return options;
}

Result<std::vector<MeasuredTable>> read_tables(const ValidateArguments& arguments,
                                               const std::vector<std::string>& hidden,
                                               const std::optional<Filter>& where) {
  LayerTableOptions options;
  options.gpu = arguments.gpu;
  options.precision = arguments.precision;
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden;
  return read_measured(arguments.tables, options, where);
}

std::string report(const Validation& validation, Format format) {
  switch (format) {
    case Format::json:
      return validation_json(validation);
    case Format::csv:
      return validation_csv(validation);
    default:
      break;
  }
  return validation_table(validation);
}

// Calibrations that have not seen the rows they are scored on.
Result<HeldOut> hold_rows_out(const std::string& name, const std::vector<MeasuredTable>& tables,
                              const ValidateOptions& options) {
  const auto tier = parse_tier(name);
  if (!tier) return fail(tier.error().code, tier.error().message, "--tier");
  CalibrateOptions calibrate;
  calibrate.rows.keep = rows_where(tables, options.where);
  return hold_out(tables, *tier, calibrate);
}

// Ids of the GPUs of the rows that were compared.
std::vector<std::string> gpus_of(const Validation& validation, const std::vector<MeasuredTable>& tables) {
  GpuCache gpus;
  std::set<std::string> ids;
  for (const ComparedRow& row : validation.rows) {
    const auto gpu = gpus.find(tables[row.table].table().rows[row.row].gpu);
    if (gpu) ids.insert((*gpu)->id);
  }
  return {ids.begin(), ids.end()};
}

}  // namespace

void list_bad_rows(const std::vector<Error>& bad_rows) {
  if (bad_rows.empty()) return;
  write_error(fmt::format("{} rows left out:", bad_rows.size()));
  for (const Error& error : bad_rows) write_error(error.text());
}

Result<void> validate(const ValidateArguments& arguments) {
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  TRY(check_suffix("--rows", arguments.rows, {Format::csv}));
  TRY(picture_format("--plot", arguments.plot));
  auto options = TRY(options_of(arguments));
  const auto calibration = TRY(calibration_of_option(arguments.calibration));
  for (PredictOptions& method : options.methods) method.calibration = calibration.get();
  if (!arguments.gpu.empty()) {
    TRY(gpu_of_option(arguments.gpu));
  }
  const std::vector<std::string> hidden = hidden_columns(options.ignore);
  const auto tables = TRY(read_tables(arguments, hidden, options.where));
  if (auto known = check_ignored(options.ignore, tables); !known) return known;
  options.ignore = hidden;
  if (arguments.choice) {
    if (!arguments.tier.empty() || !arguments.rows.empty() || !arguments.plot.empty() || format != Format::table) {
      return fail(ErrorCode::usage,
                  "--choice prints a table of its own; --tier, --rows, --plot and --format go without it");
    }
    const auto groups = TRY(score_choices(tables, options));
    return write_output(arguments.output, choice_table(groups, options.by));
  }
  std::optional<HeldOut> held_out;
  if (!arguments.tier.empty()) {
    if (!arguments.calibration.empty()) {
      return fail(ErrorCode::usage, "--tier fits constants of its own; give either it or --calibration");
    }
    auto held = TRY(hold_rows_out(arguments.tier, tables, options));
    held_out = std::move(held);
    options.calibration = [&](std::size_t table, std::size_t row) {
      return &held_out->calibrations[held_out->of_row[table][row]];
    };
  }

  const auto validation = TRY(rooftile::validate(tables, options));
  list_bad_rows(validation.bad_rows);
  note_unused_factors(calibration.get(), gpus_of(validation, tables));
  if (!arguments.rows.empty()) {
    if (auto written = write_output(arguments.rows, validation_rows(validation, tables)); !written) return written;
  }
  if (!arguments.plot.empty()) {
    if (auto written = write_picture(arguments.plot, validation_plot(validation, tables)); !written) return written;
  }
  return write_output(arguments.output, report(validation, format));
}

}  // namespace rooftile::cli
