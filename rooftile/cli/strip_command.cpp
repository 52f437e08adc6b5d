// rooftile strip: an ONNX file without its weights.
#include <string>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_file.hpp"

namespace rooftile::cli {
namespace {

struct StripArguments {
  std::string model, output;
};

Result<void> run(StripArguments& arguments) {
  const auto file = TRY(FileBytes::open(arguments.model));
  const auto stripped = TRY(strip_weights(file.bytes(), arguments.model));
  return write_bytes(arguments.output, stripped);
}

}  // namespace

void add_strip(CommandList& commands) {
  auto [app, arguments] =
      commands.add<StripArguments>("strip", "Copy an ONNX file without its weights, small enough to share",
                                   "rooftile strip resnet50.onnx -o resnet50-shapes.onnx", run);
  add_text(app, "MODEL", arguments.model, "FILE", "an .onnx file")->required();
  add_file(app, "-o,--output", arguments.output, {Format::onnx})->required();
}

}  // namespace rooftile::cli
