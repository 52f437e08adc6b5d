// rooftile strip: an ONNX file without its weights.
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_file.hpp"

namespace rooftile::cli {

Result<void> strip(const StripArguments& arguments) {
  const auto file = FileBytes::open(arguments.model);
  if (!file) return tl::unexpected(file.error());
  const auto stripped = strip_weights(file->bytes(), arguments.model);
  if (!stripped) return tl::unexpected(stripped.error());
  return write_output(arguments.output, *stripped);
}

}  // namespace rooftile::cli
