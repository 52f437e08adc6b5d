// rooftile diff: two predictions side by side.
#include <string>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/report/diff.hpp"

namespace rooftile::cli {
namespace {

constexpr Writers<const PredictionDiff&> kDiffWriters = {
    {Format::table, diff_table}, {Format::json, diff_json}, {Format::csv, diff_csv}};

struct DiffArguments {
  std::string a, b;
  OutputArguments output;
};

Result<void> run(DiffArguments& arguments) {
  if (arguments.a == "-" && arguments.b == "-") return usage("standard input can be only one of the two");
  const auto a = TRY(read_text_file(arguments.a));
  const auto b = TRY(read_text_file(arguments.b));
  return write_report(arguments.output, kDiffWriters, TRY(diff_of(a, arguments.a, b, arguments.b)));
}

}  // namespace

void add_diff(CommandList& commands) {
  auto [app, arguments] = commands.add<DiffArguments>("diff", "Compare two predictions written as JSON",
                                                      "rooftile diff before.json after.json", run);
  add_text(app, "A", arguments.a, "FILE", "a prediction, from predict --format json")->required();
  add_text(app, "B", arguments.b, "FILE", "another, to compare with A")->required();
  add_output_options(app, arguments.output, kDiffWriters);
}

}  // namespace rooftile::cli
