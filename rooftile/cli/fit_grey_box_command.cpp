// rooftile fit grey-box TABLE.csv…: the analytic prediction times a correction, or its comparison with others.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_options.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/learn/compare_models.hpp"
#include "rooftile/learn/grey_box/curve.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/report/grey_box.hpp"
#include "rooftile/report/grey_box_curve.hpp"

namespace rooftile::cli {
namespace {

struct GreyBoxArguments : FitArguments {
  bool compare = false;  // with other models, instead of a fit
  CompareOptions comparison;
  Format format = Format::table;
  bool is_trial = false;  // of --points, instead of a fit
  GreyBoxCurveOptions trial;
};

Result<void> compare(GreyBoxArguments& arguments, const GreyBoxRows& rows) {
  std::optional<ModelComparison> comparison;
  {
    Progress progress("fits");
    arguments.comparison.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
    comparison = TRY(compare_models(rows, arguments.comparison));
  }
  return write_output(arguments.output, arguments.format == Format::json
                                            ? model_comparison_json(*comparison)
                                            : model_comparison_report(*comparison, page_width(arguments.output)));
}

Result<regression::FittedModel> fit(const GreyBoxArguments& arguments, const GreyBoxRows& rows) {
  Progress progress("fits");
  return fit_grey_box(rows, {.name = "grey-box",
                             .date = arguments.date,
                             .progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); }});
}

// How good the model is with few rows.
Result<void> try_few_rows(GreyBoxArguments& arguments, const GreyBoxRows& rows) {
  std::vector<GreyBoxCurvePoint> curve;
  {
    Progress progress("fits");
    arguments.trial.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
    curve = TRY(grey_box_curve(rows, arguments.trial));
  }
  return write_output(arguments.output, grey_box_curve_report(curve, page_width(arguments.output)));
}

Result<void> run(GreyBoxArguments& arguments) {
  const auto tables = TRY(read_fit_tables(arguments));
  auto rows = TRY(grey_box_rows(tables, {.keep = rows_where(tables, arguments.where)}));
  if (arguments.compare) return compare(arguments, rows);
  if (arguments.is_trial) return try_few_rows(arguments, rows);

  if (arguments.where) rows.fitted_on.note = "rows where " + arguments.condition;
  const auto model = TRY(fit(arguments, rows));
  if (!arguments.plots.empty()) {
    const auto predicted = TRY(predict_grey_box(model, rows));
    TRY(draw_fit(arguments, fitted_points(rows, predicted)));
  }
  if (!arguments.output.empty()) TRY(write_output(arguments.output, regression::fitted_json(model)));
  return arguments.output == "-" ? Result<void>() : write_output("", grey_box_report(model, page_width("")));
}

}  // namespace

void add_fit_grey_box(CommandList& commands, CLI::App* fit) {
  auto [app, arguments] = commands.add<GreyBoxArguments>(
      "grey-box", "Fit a correction to method rooftile's times of convolutions and GEMMs",
      "rooftile fit grey-box measured.csv -o grey.json", run, fit);
  add_fit_options(app, arguments, Format::json, "write the model (JSON) to this file, for --method FILE");
  add_ignore(app, arguments.ignore);
  CLI::Option* plots = add_plots(app, arguments.plots);
  constexpr std::int64_t kMostPoints = 1000000;
  CLI::Option* points = add_trial(app, kMostPoints, arguments.trial.points, arguments.trial.draws);
  bool& is_trial = arguments.is_trial;
  points->each([&is_trial](const std::string&) { is_trial = true; });
  CLI::Option* compare =
      app->add_flag("--compare", arguments.compare, "compare with other models on held-out rows and held-out GPUs")
          ->excludes(points)
          ->excludes(plots)
          ->group("Trial");
  points->excludes(plots);
  auto& bounds = arguments.comparison.bounds;
  add_value(
      app, "--extrapolate", bounds, "CONDITION",
      [](const std::string& option, const std::string& text) -> Result<std::vector<regression::Bound>> {
        auto bound = regression::parse_bound(text);
        if (!bound) return fail(bound.error().code, bound.error().message, option);
        return std::vector{std::move(*bound)};
      },
      "hold out the rows beyond this, too, as in \"batch > 32\"")
      ->needs(compare)
      ->group("Trial");
  add_choice<Format>(app, "--format", arguments.format, {{"table", Format::table}, {"json", Format::json}},
                     "format of the comparison (default: table)")
      ->needs(compare)
      ->group("Trial");
}

}  // namespace rooftile::cli
