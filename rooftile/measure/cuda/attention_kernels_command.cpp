// Whether cuDNN knows the attention of fused_attention.cpp as one kernel, on GPUs that are not here.
#include <cstddef>
#include <dlfcn.h>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
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
  // Without it cuDNN offers nothing, and does not say why.
  if (::dlopen("libcuda.so.1", RTLD_NOW) == nullptr) {
    return report_error(
        "no libcuda.so.1, which cuDNN loads to plan; the toolkit's stubs/libcuda.so by that name will do");
  }
  std::size_t cases = 0;
  for (const LayerCase& layer : selected->cases) {
    const auto* attention = std::get_if<Attention>(&layer.op);
    if (attention == nullptr) continue;
    ++cases;
    const auto kernels = fused_attention_kernels(*attention, layer.precision, *device);
    if (!kernels) return report_error(fmt::format("{}: {}", arguments.device_file, kernels.error().message));
    fmt::print("{} {}\n", *kernels, key_of(layer, L2State::cold));
  }
  return cases > 0 ? kOk : report_error("no attention among the layers chosen");
}

}  // namespace rooftile::measure
