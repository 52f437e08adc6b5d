// Whether cuDNN knows the attention of fused_attention.cpp as one kernel, on GPUs that are not here.
#include <string>
#include <variant>

#include <fmt/format.h>

#include "rooftile/ingest/text_file.hpp"
#include "rooftile/measure/cuda/commands.hpp"
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/session.hpp"
#include "rooftile/measure/layer_columns.hpp"

namespace rooftile::measure {

int run_attention_kernels_command(const Arguments& arguments) {
  const auto device = read_text_file(arguments.device_file);
  if (!device) return report_error(device.error());
  const auto selected = select_cases(arguments.selection);
  if (!selected) return report_error(selected.error());
  for (const LayerCase& layer : selected->cases) {
    const auto* attention = std::get_if<Attention>(&layer.op);
    if (attention == nullptr) continue;
    const auto kernels = fused_attention_kernels(*attention, layer.precision, *device);
    if (!kernels) return report_error(kernels.error().message);
    fmt::print("{} {}\n", *kernels, key_of(layer, L2State::cold));
  }
  return kOk;
}

}  // namespace rooftile::measure
