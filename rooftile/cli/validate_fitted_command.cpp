// rooftile validate TABLE.csv… --fitted NAME: a fitted model against measurements.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/learn/fitted_validation.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/report/fitted_validation.hpp"
#include "rooftile/report/validation.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {
namespace {

// What decides an analytic prediction has no part in one by a fitted model.
Result<void> check_options(const ValidateArguments& arguments) {
  const ValidateArguments defaults;
  struct Other {
    const char* option;
    bool given;
  };
  for (const Other& other :
       {Other{"--method", arguments.method != defaults.method},
        Other{"--quantity", arguments.quantity != defaults.quantity}, Other{"--ignore", !arguments.ignore.empty()},
        Other{"--tier", !arguments.tier.empty()}, Other{"--calibration", !arguments.calibration.empty()},
        Other{"--bias-kernel", arguments.bias_kernel}, Other{"--choice", arguments.choice}}) {
    if (other.given) return usage(fmt::format("{} does not go with --fitted", other.option));
  }
  return {};
}

Result<FittedValidationOptions> options_of(const ValidateArguments& arguments) {
  FittedValidationOptions options;
  auto by = TRY(list_of("--by", arguments.by));
  options.by = std::move(by);
  auto where = TRY(parse_where(arguments.where));
  options.where = std::move(where);
  options.flagged = arguments.flagged;
  options.gpu = arguments.gpu;
  return options;
}

// The tables, and the store of --db where it holds rows: it is where the fitted model is looked up, too, and need not
// hold any beside other tables.
Result<std::vector<std::string>> tables_of(const ValidateArguments& arguments) {
  std::vector<std::string> tables = arguments.tables;
  std::erase(tables, arguments.db);
  if (tables.empty() || !store::is_store(arguments.db)) return arguments.tables;
  auto store = TRY(store::Store::open(arguments.db));
  const auto rows = TRY(store::count_measurements(store));
  return rows.empty() ? tables : arguments.tables;
}

std::string report(const FittedValidation& result, Format format) {
  if (format == Format::json) return fitted_validation_json(result);
  if (format == Format::csv) return validation_csv(result.validation);
  return fitted_validation_table(result);
}

// What the table and JSON have themselves.
void warn_of_beyond(const FittedValidation& result) {
  const std::vector<std::string> notes = notes_of_beyond(result);
  if (!notes.empty()) write_error(fmt::format("warning: {}", fmt::join(notes, "; ")));
}

}  // namespace

Result<void> validate_by_fitted(const ValidateArguments& arguments) {
  if (auto fits = check_options(arguments); !fits) return fits;
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  TRY(check_suffix("--rows", arguments.rows, {Format::csv}));
  TRY(picture_format("--plot", arguments.plot));
  const auto options = TRY(options_of(arguments));
  const auto model = fitted_of_option(arguments.fitted, arguments.db);
  if (!model) return tl::unexpected(model.error());
  if (arguments.flagged && model->kind != kNetworkKind) {
    return usage(fmt::format("--flagged is for models of whole runs; '{}' is of kind '{}'", one_line(model->name),
                             one_line(model->kind)));
  }
  if (!arguments.gpu.empty()) {
    TRY(gpu_of_option(arguments.gpu));
  }
  LayerTableOptions reading;
  reading.gpu = arguments.gpu;
  reading.precision = arguments.precision;
  reading.override_cells = arguments.override_cells;
  reading.skip_bad_rows = arguments.skip_bad_rows;
  const auto paths = TRY(tables_of(arguments));
  const auto tables = TRY(read_measured(paths, reading, options.where));

  const auto result = TRY(validate_fitted(*model, tables, options));
  list_bad_rows(result.validation.bad_rows);
  if (format == Format::csv) warn_of_beyond(result);
  if (!arguments.rows.empty()) {
    if (auto written = write_output(arguments.rows, fitted_validation_rows(result)); !written) return written;
  }
  if (!arguments.plot.empty()) {
    if (auto written = write_picture(arguments.plot, fitted_validation_plot(result)); !written) return written;
  }
  return write_output(arguments.output, report(result, format));
}

}  // namespace rooftile::cli
