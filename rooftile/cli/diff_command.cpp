// rooftile diff: two predictions side by side.
#include "rooftile/base/text_file.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {

Result<void> diff(const DiffArguments& arguments) {
  if (arguments.a == "-" && arguments.b == "-")
    return fail(ErrorCode::usage, "standard input can be only one of the two");
  const auto a = read_text_file(arguments.a);
  if (!a) return tl::unexpected(a.error());
  const auto b = read_text_file(arguments.b);
  if (!b) return tl::unexpected(b.error());
  const auto text = diff_report(*a, arguments.a, *b, arguments.b);
  if (!text) return tl::unexpected(text.error());
  return write_output("", *text);
}

}  // namespace rooftile::cli
