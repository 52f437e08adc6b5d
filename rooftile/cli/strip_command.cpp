// rooftile strip: an ONNX file without its weights.
#include "rooftile/base/try.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_file.hpp"

namespace rooftile::cli {

Result<void> strip(const StripArguments& arguments) {
  TRY(check_suffix("-o", arguments.output, {Format::onnx}));
  const auto file = TRY(FileBytes::open(arguments.model));
  const auto stripped = TRY(strip_weights(file.bytes(), arguments.model));
  return write_output(arguments.output, stripped);
}

}  // namespace rooftile::cli
