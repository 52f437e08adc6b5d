#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

LaunchTime launch_time(const Launch& launch, const Machine& machine) {
  switch (machine.family) {
    case KernelFamily::conv_simt:
    case KernelFamily::gemm_simt:
    case KernelFamily::tensor:
      break;
  }
  return conv_time(launch, machine);
}

}  // namespace rooftile
