#include "rooftile/cli/validate_command.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/calibration_note.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/report/validation.hpp"
#include "rooftile/validate/gpu_pairs.hpp"
#include "rooftile/validate/validate.hpp"

namespace rooftile::cli {
namespace {

// Methods with the constants that they name.
struct Methods {
  std::vector<PredictOptions> options;
  std::vector<std::shared_ptr<const Calibration>> constants;
};

// Side by side, each once.
Result<Methods> methods_of(const std::vector<MethodArgument>& named) {
  Methods methods;
  std::set<std::string> labels;
  for (const MethodArgument& method : named) {
    if (!method.fitted.empty()) {
      return usage(fmt::format("--method: the fitted model '{}' cannot be combined with other methods",
                               one_line(method.fitted)));
    }
    methods.constants.push_back(TRY(read_constants(method.constants)));
    PredictOptions options;
    options.method = method.method;
    options.prior_miss_rate = method.prior_miss_rate;
    options.calibration = methods.constants.back().get();
    TRY(check(options));
    if (!labels.insert(label_of(options)).second) {
      return usage(fmt::format("--method: '{}' is named twice", label_of(options)));
    }
    methods.options.push_back(std::move(options));
  }
  return methods;
}

// What decides the figures. The columns of --by, --ignore and --where are checked when the tables are read.
ValidateOptions options_of(const ValidateArguments& arguments, const Methods& methods) {
  ValidateOptions options;
  options.methods = methods.options;
  options.quantity = arguments.quantity;
  options.by = arguments.by;
  options.ignore = arguments.ignore;
  options.where = arguments.where;
  options.flagged = arguments.flagged;
  options.bias_kernel = arguments.bias_kernel;
  options.skip_bad_rows = arguments.skip_bad_rows;
  return options;
}

struct Validated {
  const Validation& validation;
  const std::vector<MeasuredTable>& tables;
};

constexpr Writers<const Validated&> kValidationWriters = {
    {Format::table, [](const Validated& of, std::size_t width) { return validation_table(of.validation, width); }},
    {Format::json, [](const Validated& of) { return validation_json(of.validation); }},
    {Format::csv, [](const Validated& of) { return validation_csv(of.validation); }},
    {Format::rows, [](const Validated& of) { return validation_rows(of.validation, of.tables); }},
    {Format::svg, [](const Validated& of) { return validation_plot(of.validation, of.tables); }}};

// Calibrations that have not seen the rows they are scored on.
Result<HeldOut> hold_rows_out(Tier tier, const std::vector<MeasuredTable>& tables, const ValidateOptions& options) {
  Progress progress("fits");
  CalibrateOptions calibrate;
  calibrate.rows.keep = rows_where(tables, options.where);
  calibrate.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
  return hold_out(tables, tier, calibrate);
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

// What would change nothing in what is printed.
Result<void> check_effect(const ValidateArguments& arguments) {
  const Format format = arguments.output.format;
  if (format == Format::rows && !arguments.by.empty()) {
    return usage("--by groups scores, and --format rows has none: each row is printed");
  }
  if (arguments.pairs && format != Format::table && format != Format::json) {
    return usage("--pairs is for the table and json");
  }
  const auto refits = [](const MethodArgument& one) { return one.method == Method::rooftile; };
  if ((arguments.tier || arguments.choice) &&
      std::none_of(arguments.methods.begin(), arguments.methods.end(), refits)) {
    return usage(fmt::format("{} is for --method rooftile", arguments.tier ? "--tier" : "--quantity choice"));
  }
  return {};
}

Result<void> run(ValidateArguments& arguments) {
  if (arguments.methods.size() == 1 && !arguments.methods.front().fitted.empty())
    return validate_fitted_model(arguments);
  TRY(check_effect(arguments));
  const Methods methods = TRY(methods_of(arguments.methods));
  ValidateOptions options = options_of(arguments, methods);
  if (!arguments.gpu.empty()) TRY(gpu_of_option(arguments.gpu.front()));
  options.ignore = hidden_columns(arguments.ignore);
  const auto tables = TRY(read_measured(arguments.tables, reading_options(arguments), options.where));
  TRY(check_ignored(arguments.ignore, tables));
  const OutputArguments& output = arguments.output;
  std::optional<Progress> bar;
  options.progress = [&](std::size_t done, std::size_t of) { bar->show(done, of); };
  if (arguments.choice) {
    if (arguments.tier || arguments.pairs || output.format != Format::table) {
      return usage("--quantity choice prints its own table; it cannot be used with --tier, --pairs or --format");
    }
    bar.emplace("rows");
    const auto groups = TRY(score_choices(tables, options));
    bar.reset();
    return write_output(output.file, choice_table(groups, options.by, page_width(output.file)));
  }
  std::optional<HeldOut> held_out;
  if (arguments.tier) {
    if (!arguments.methods.front().constants.empty()) {
      return usage("--tier fits its own constants; give either --tier or --method rooftile=FILE");
    }
    held_out = TRY(hold_rows_out(*arguments.tier, tables, options));
    options.calibration = [&](std::size_t table, std::size_t row) {
      return &held_out->calibrations[held_out->of_row[table][row].value()];
    };
    options.leave_out = [&](std::size_t table, std::size_t row) {
      return held_out->of_row[table][row] ? "" : held_out->why_not_scored;
    };
  }

  bar.emplace("rows");
  auto validation = TRY(rooftile::validate(tables, options));
  bar.reset();
  list_bad_rows(validation.bad_rows);
  for (const auto& constants : methods.constants) note_unused_factors(constants.get(), gpus_of(validation, tables));
  if (arguments.pairs) {
    validation.pairs = gpu_pairs(validation, tables);
    if (validation.pairs.empty()) return fail(ErrorCode::not_found, "no two GPUs ran the same work", "--pairs");
  }
  return write_report(output, kValidationWriters, {validation, tables});
}

// "l2", "l2+bias", "choice".
Result<ValidateArguments> parse_quantity_option(const std::string& option, const std::string& text,
                                                ValidateArguments arguments) {
  arguments.quantity_named = true;
  if (text == "choice") {
    arguments.choice = true;
    return arguments;
  }
  const std::size_t plus = std::min(text.find("+bias"), text.size());
  arguments.bias_kernel = plus + 5 == text.size();
  const auto quantity = parse_quantity(arguments.bias_kernel ? text.substr(0, plus) : text);
  if (!quantity) return fail(ErrorCode::usage, quantity.error().message + ", choice", option);
  arguments.quantity = *quantity;
  if (arguments.bias_kernel && *quantity == ComparedQuantity::time) {
    return usage(option + ": +bias is for l1, l2, dram and launches, not time");
  }
  return arguments;
}

}  // namespace

LayerTableOptions reading_options(const ValidateArguments& arguments) {
  LayerTableOptions options;
  if (!arguments.gpu.empty()) options.gpu = arguments.gpu.front();
  if (arguments.precision) options.precision = std::string(name_of(*arguments.precision));
  options.override_cells = arguments.override_cells;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden_columns(arguments.ignore);
  return options;
}

void list_bad_rows(const std::vector<Error>& bad_rows) {
  if (bad_rows.empty()) return;
  write_error(fmt::format("rows left out: {}", bad_rows.size()));
  for (const Error& error : bad_rows) write_error(error.text());
}

void add_validate(CommandList& commands) {
  auto [app, arguments] =
      commands.add<ValidateArguments>("validate", "Compare predictions with measurements, row by row",
                                      "rooftile validate measured.csv --by gpu,pass --method delta,roofline", run);
  add_tables(app, arguments.tables);
  add_value(
      app, "--method", arguments.methods, "METHOD|FITTED,…",
      [](const std::string& option, const std::string& text) -> Result<std::vector<MethodArgument>> {
        std::vector<MethodArgument> methods;
        for (const std::string& one : TRY(parse_list(option, text))) {
          methods.push_back(TRY(parse_method(option, one, true)));
        }
        return methods;
      },
      "methods to compare (default: rooftile), as for predict, or one fitted model");
  ValidateArguments& place = arguments;
  add_value(
      app, "--quantity", place, "time|l1|l2|dram|launches|choice",
      [&place](const std::string& option, const std::string& text) {
        return parse_quantity_option(option, text, place);
      },
      "what to compare (default: time); choice: algorithm and tile; l2+bias: the counters include a kernel that adds a "
      "bias");
  add_choice<Tier>(
      app, "--tier", arguments.tier,
      {{"own", Tier::own}, {"source", Tier::source}, {"size", Tier::size}, {"none", Tier::none}},
      "refit method rooftile's constants without the row; own: on other shapes of its GPU too; source: without its "
      "source, where another measured the GPU; size: on the smaller two thirds, scored on the largest; none: without "
      "its GPU");
  add_names(app, "--by", arguments.by, "COLUMN", "columns to group by, as in gpu,pass");
  app->add_flag("--pairs", arguments.pairs,
                "also score pairs of GPUs that ran the same work: whether the faster one is predicted to be");

  constexpr const char* kRows = "Rows";
  add_where(app, arguments.where)->group(kRows);
  add_names(app, "--ignore", arguments.ignore, "COLUMN",
            "columns to hide from the predictor, as in algorithm,framework")
      ->group(kRows);
  app->add_flag("--flagged", arguments.flagged, "score flagged rows too")->group(kRows);
  CLI::Option* gpu = add_gpu(app, arguments.gpu)->description("GPU for rows that name none")->group(kRows);
  CLI::Option* precision = add_precision(app, arguments.precision)
                               ->description("precision for rows that name none (default: fp32)")
                               ->group(kRows);
  CLI::Option* overriding =
      app->add_flag("--override", arguments.override_cells, "--gpu and --precision override the row's own values");
  add_rare(app, {overriding});
  commands.need_any(app, {gpu, precision}, overriding);
  add_skip_bad_rows(app, arguments.skip_bad_rows)->group(kRows);
  add_output_options(app, arguments.output, kValidationWriters);
}

}  // namespace rooftile::cli
