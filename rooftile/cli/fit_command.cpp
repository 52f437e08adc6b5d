// rooftile fit TABLE.csv…: the constants of the refined method from measurements.
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/fit_tables.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/learn/constants/calibrate.hpp"
#include "rooftile/report/fit.hpp"

namespace rooftile::cli {

Result<void> fit(const FitArguments& arguments) {
  TRY(check_suffix("-o", arguments.output, {Format::toml}));
  const auto measured = TRY(read_fit_tables(arguments));

  CalibrateOptions calibration;
  calibration.date = arguments.date;
  calibration.rows.keep = rows_where(measured.tables, measured.where);
  const auto report = TRY(calibrate(measured.tables, calibration));
  if (!arguments.output.empty()) {
    if (auto written = write_output(arguments.output, write_calibration(report.calibration)); !written) {
      return written;
    }
    if (arguments.output == "-") return {};
  }
  return write_output("", fit_report(report));
}

}  // namespace rooftile::cli
