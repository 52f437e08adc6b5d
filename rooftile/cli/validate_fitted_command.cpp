// rooftile validate TABLE.csv… --method FITTED: a fitted model against measurements.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/cli/validate_command.hpp"
#include "rooftile/learn/fitted_validation.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/report/fitted_validation.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile::cli {
namespace {

// What decides an analytic prediction has no part in one by a fitted model.
Result<void> check_options(const ValidateArguments& arguments) {
  struct Other {
    const char* option;
    bool given;
  };
  for (const Other& other :
       {Other{"--quantity", arguments.quantity_named}, Other{"--ignore", !arguments.ignore.empty()},
        Other{"--tier", arguments.tier.has_value()}}) {
    if (other.given) return usage(fmt::format("{} cannot be used with a fitted model", other.option));
  }
  return {};
}

FittedValidationOptions options_of(const ValidateArguments& arguments) {
  FittedValidationOptions options;
  options.by = arguments.by;
  options.where = arguments.where;
  options.flagged = arguments.flagged;
  if (!arguments.gpu.empty()) options.gpu = arguments.gpu.front();
  return options;
}

// The formats of kValidationWriters (validate_command.cpp), which offers them.
constexpr Writers<const FittedValidation&> kFittedValidationWriters = {
    {Format::table, fitted_validation_table},
    {Format::json, fitted_validation_json},
    {Format::csv, [](const FittedValidation& result) { return validation_csv(result.validation); }},
    {Format::rows, fitted_validation_rows},
    {Format::svg, fitted_validation_plot}};

// What the table and JSON have themselves.
void warn_of_beyond(const FittedValidation& result) {
  const std::vector<std::string> notes = notes_of_beyond(result);
  if (!notes.empty()) write_error(fmt::format("warning: {}", fmt::join(notes, "; ")));
}

}  // namespace

Result<void> validate_fitted_model(const ValidateArguments& arguments) {
  TRY(check_options(arguments));
  const FittedValidationOptions options = options_of(arguments);
  const auto model = TRY(fitted_of_option(arguments.methods.front().fitted));
  if (arguments.flagged && model.kind != kNetworkKind) {
    return usage(fmt::format("--flagged is for models of whole runs; '{}' is of kind '{}'", one_line(model.name),
                             one_line(model.kind)));
  }
  if (!arguments.gpu.empty()) TRY(gpu_of_option(arguments.gpu.front()));
  const auto tables = TRY(read_measured(arguments.tables, reading_options(arguments), options.where));
  const auto result = TRY(validate_fitted(model, tables, options));
  list_bad_rows(result.validation.bad_rows);
  const Format format = arguments.output.format;
  if (format != Format::table && format != Format::json) warn_of_beyond(result);
  return write_report(arguments.output, kFittedValidationWriters, result);
}

}  // namespace rooftile::cli
