// rooftile diff: two predictions side by side.
#include <string>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {
namespace {

struct DiffArguments {
  std::string a, b;
};

Result<void> run(DiffArguments& arguments) {
  if (arguments.a == "-" && arguments.b == "-") return usage("standard input can be only one of the two");
  const auto a = TRY(read_text_file(arguments.a));
  const auto b = TRY(read_text_file(arguments.b));
  const auto text = TRY(diff_report(a, arguments.a, b, arguments.b, page_width("")));
  return write_output("", text);
}

}  // namespace

void add_diff(CommandList& commands) {
  auto [app, arguments] = commands.add<DiffArguments>("diff", "Compare two predictions written as JSON",
                                                      "rooftile diff before.json after.json", run);
  add_text(app, "A", arguments.a, "FILE", "a prediction, from predict --format json")->required();
  add_text(app, "B", arguments.b, "FILE", "another")->required();
}

}  // namespace rooftile::cli
