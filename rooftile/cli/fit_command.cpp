// rooftile fit TABLE.csv…: the constants of the refined method from measurements.
#include <string>
#include <utility>
#include <vector>

#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/learn/calibrate.hpp"
#include "rooftile/report/fit.hpp"

namespace rooftile::cli {

Result<void> fit(const FitArguments& arguments) {
  const auto ignored = list_of("--ignore", arguments.ignore);
  if (!ignored) return tl::unexpected(ignored.error());
  const auto where = parse_where(arguments.where);
  if (!where) return tl::unexpected(where.error());
  LayerTableOptions options;
  options.skip_bad_rows = arguments.skip_bad_rows;
  options.ignore = hidden_columns(*ignored);
  const auto tables = read_measured(arguments.tables, options);
  if (!tables) return tl::unexpected(tables.error());
  if (auto known = check_ignored(*ignored, *tables); !known) return known;
  if (*where) {
    for (const Filter::Use& use : (*where)->columns()) {
      if (auto known = check_column(use.column, *tables); !known) {
        return fail(known.error().code, known.error().message, "--where");
      }
    }
  }

  CalibrateOptions calibration;
  calibration.date = arguments.date;
  calibration.rows.keep = rows_where(*tables, *where);
  const auto report = calibrate(*tables, calibration);
  if (!report) return tl::unexpected(report.error());
  if (!arguments.output.empty()) {
    if (auto written = write_output(arguments.output, write_calibration(report->calibration)); !written) {
      return written;
    }
    if (arguments.output == "-") return {};
  }
  return write_output("", fit_report(*report));
}

}  // namespace rooftile::cli
