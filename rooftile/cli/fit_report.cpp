#include "rooftile/cli/fit_report.hpp"

#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {

Result<Format> fit_format(const FitModelArguments& arguments) {
  const auto format = parse_format("--format", arguments.format, arguments.compare ? arguments.output : "");
  if (!format) return format;
  if (*format == Format::csv) return usage("--format: fit writes a table or json");
  return format;
}

Result<void> draw_fit(const FitModelArguments& arguments, const FittedPoints& points) {
  if (!arguments.plot.empty()) {
    if (auto drawn = write_output(arguments.plot, actual_versus_fitted_plot(points)); !drawn) return drawn;
  }
  if (arguments.residuals.empty()) return {};
  return write_output(arguments.residuals, residual_plot(points));
}

}  // namespace rooftile::cli
