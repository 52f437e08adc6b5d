// rooftile diff: two predictions side by side.
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {

Result<void> diff(const DiffArguments& arguments) {
  if (arguments.a == "-" && arguments.b == "-")
    return fail(ErrorCode::usage, "standard input can be only one of the two");
  const auto a = TRY(read_text_file(arguments.a));
  const auto b = TRY(read_text_file(arguments.b));
  const auto text = TRY(diff_report(a, arguments.a, b, arguments.b));
  return write_output("", text);
}

}  // namespace rooftile::cli
