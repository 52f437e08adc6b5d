#include "rooftile/cli/fit_options.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/table_options.hpp"

namespace rooftile::cli {

void add_fit_options(CLI::App* app, FitArguments& arguments, Format format, const std::string& output_help) {
  add_tables(app, arguments.tables);
  add_where(app, arguments.where, &arguments.condition);
  add_skip_bad_rows(app, arguments.skip_bad_rows);
  CLI::Option* output = add_file(app, "-o,--output", arguments.output, {format}, output_help);
  add_value(app, "--date", arguments.date, "DATE", parse_date,
            "date of the fit, recorded in the file, as in 2026-01-31")
      ->needs(output)
      ->group("Output");
}

void add_ignore(CLI::App* app, std::vector<std::string>& ignore) {
  add_names(app, "--ignore", ignore, "COLUMN", "columns to hide from the predictor, as in algorithm,kernel");
}

CLI::Option* add_plots(CLI::App* app, std::string& folder) {
  return add_folder(app, "--plots", folder,
                    "draw fitted over measured times (fitted.svg) and residuals (residuals.svg) there")
      ->group("Output");
}

CLI::Option* add_trial(CLI::App* app, std::int64_t most, std::vector<std::size_t>& points, std::size_t& draws) {
  CLI::Option* option = add_value(
      app, "--points", points, "N,…",
      [most](const std::string& name, const std::string& text) -> Result<std::vector<std::size_t>> {
        std::vector<std::size_t> counts;
        for (const std::string& count : TRY(parse_list(name, text))) {
          counts.push_back(static_cast<std::size_t>(TRY(parse_count(name, count, most))));
        }
        return counts;
      },
      "fit to N random rows of each GPU, and score the others");
  option->group("Trial");
  constexpr std::int64_t kMostDraws = 10000;
  add_count(app, "--draws", draws, kMostDraws, fmt::format("random draws for each N of --points (default: {})", draws))
      ->needs(option)
      ->group("Trial");
  return option;
}

LayerTableOptions reading_options(const FitArguments& arguments) {
  LayerTableOptions options;
  options.gpu = arguments.gpu;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden_columns(arguments.ignore);
  return options;
}

Result<std::vector<MeasuredTable>> read_fit_tables(const FitArguments& arguments) {
  auto tables = TRY(read_measured(arguments.tables, reading_options(arguments), arguments.where));
  TRY(check_ignored(arguments.ignore, tables));
  TRY(check_condition("--where", arguments.where, tables));
  return tables;
}

Result<void> draw_fit(const FitArguments& arguments, const FittedPoints& points) {
  if (arguments.plots.empty()) return {};
  TRY(prepare_folder(arguments.plots, "--plots"));
  const std::filesystem::path folder = arguments.plots;
  TRY(write_output((folder / "fitted.svg").string(), actual_versus_fitted_plot(points)));
  return write_output((folder / "residuals.svg").string(), residual_plot(points));
}

}  // namespace rooftile::cli
