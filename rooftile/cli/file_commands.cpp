// rooftile diff and strip: files in, text or a file out.
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_file.hpp"
#include "rooftile/ingest/text_file.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile::cli {

Result<void> diff(const DiffArguments& arguments) {
  const auto a = read_text_file(arguments.a);
  if (!a) return tl::unexpected(a.error());
  const auto b = read_text_file(arguments.b);
  if (!b) return tl::unexpected(b.error());
  const auto text = diff_report(*a, arguments.a, *b, arguments.b);
  if (!text) return tl::unexpected(text.error());
  return write_output("", *text);
}

Result<void> strip(const StripArguments& arguments) {
  const auto file = FileBytes::open(arguments.model);
  if (!file) return tl::unexpected(file.error());
  const auto stripped = strip_weights(file->bytes(), arguments.model);
  if (!stripped) return tl::unexpected(stripped.error());
  return write_output(arguments.output, *stripped);
}

}  // namespace rooftile::cli
