// rooftile fit constants TABLE.csv…: the constants of method rooftile from measurements.
#include <cstddef>
#include <optional>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_options.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/learn/constants/calibrate.hpp"
#include "rooftile/report/fit.hpp"

namespace rooftile::cli {
namespace {

Result<void> run(FitArguments& arguments) {
  const auto tables = TRY(read_fit_tables(arguments));
  CalibrateOptions calibration;
  calibration.date = arguments.date;
  calibration.rows.keep = rows_where(tables, arguments.where);
  std::optional<Progress> bar(std::in_place, "fits");
  calibration.progress = [&](std::size_t done, std::size_t of) { bar->show(done, of); };
  const auto report = TRY(calibrate(tables, calibration));
  bar.reset();
  if (!arguments.output.empty()) TRY(write_output(arguments.output, write_calibration(report.calibration)));
  return arguments.output == "-" ? Result<void>() : write_output("", fit_report(report, page_width("")));
}

}  // namespace

void add_fit_constants(CommandList& commands, CLI::App* fit) {
  auto [app, arguments] = commands.add<FitArguments>(
      "constants", "Fit the constants of method rooftile, for all GPUs and frameworks in the rows",
      "rooftile fit constants measured.csv --where \"gpu = t4\" -o t4.toml", run, fit);
  add_fit_options(app, arguments, Format::toml, "write the constants (TOML) to this file, for --method rooftile=FILE");
  add_ignore(app, arguments.ignore);
}

}  // namespace rooftile::cli
