// rooftile fit TABLE.csv… --model grey-box: the analytic prediction times a correction, or its comparison with others.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_grey_box_curve.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/fit_report.hpp"
#include "rooftile/cli/fit_tables.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/learn/compare_models.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/report/grey_box.hpp"

namespace rooftile::cli {
namespace {

Result<void> compare(const FitModelArguments& arguments, const GreyBoxRows& rows) {
  const auto format = TRY(fit_format(arguments));
  CompareOptions options;
  if (!arguments.extrapolate.empty()) {
    const auto bound = regression::parse_bound(arguments.extrapolate);
    if (!bound) return fail(bound.error().code, bound.error().message, "--extrapolate");
    options.bounds = {*bound};
  }
  std::optional<ModelComparison> comparison;
  {
    Progress progress("fits");
    options.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };
    auto compared = TRY(compare_models(rows, options));
    comparison = std::move(compared);
  }
  return write_output(arguments.output, format == Format::json ? model_comparison_json(*comparison)
                                                               : model_comparison_report(*comparison));
}

}  // namespace

Result<void> fit_grey_box(const FitModelArguments& arguments) {
  const bool many = arguments.compare || !arguments.points.empty();
  if (many && (!arguments.plot.empty() || !arguments.residuals.empty())) {
    return usage("--plot and --residuals draw one fit: without --compare and --points");
  }
  if (auto apart = check_fit_places(arguments); !apart) return apart;
  if (!arguments.compare && !arguments.format.empty()) return usage("--format is of --compare and of --model network");
  if (!arguments.draws.empty() && arguments.points.empty()) return usage("--draws is of --points");
  if (!arguments.points.empty() && arguments.compare)
    return usage("--points fits to rows that it draws: without --compare");
  if (!many) TRY(check_suffix("-o", arguments.output, {Format::json}));
  if (!arguments.points.empty()) TRY(check_suffix("-o", arguments.output, {Format::table}));
  if (arguments.compare) TRY(fit_format(arguments));
  const auto measured = TRY(read_fit_tables(arguments));
  auto rows = TRY(grey_box_rows(measured.tables, {.keep = rows_where(measured.tables, measured.where)}));
  if (arguments.compare) return compare(arguments, rows);
  if (!arguments.points.empty()) return try_grey_box(arguments, rows);

  if (!arguments.where.empty()) rows.fitted_on.note = "rows where " + arguments.where;
  const auto model = TRY(rooftile::fit_grey_box(rows, {.name = "grey-box", .date = arguments.date}));
  if (!arguments.plot.empty() || !arguments.residuals.empty()) {
    const auto predicted = TRY(predict_grey_box(model, rows));
    if (auto drawn = draw_fit(arguments, fitted_points(rows, predicted)); !drawn) return drawn;
  }
  if (!arguments.output.empty()) {
    if (auto written = write_output(arguments.output, regression::fitted_json(model)); !written) return written;
    if (arguments.output == "-") return {};
  }
  if (arguments.plot == "-" || arguments.residuals == "-") return {};
  return write_output("", grey_box_report(model));
}

}  // namespace rooftile::cli
