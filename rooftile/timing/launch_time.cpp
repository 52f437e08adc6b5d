#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

LaunchTime launch_time(const Launch& launch, const Machine& machine, Seconds limit) {
  switch (machine.family) {
    case KernelFamily::gemm_simt:
      return simt_gemm_time(launch, machine, limit);
    case KernelFamily::tensor:
      return tensor_gemm_time(launch, machine, limit);
    case KernelFamily::conv_simt:
    case KernelFamily::attention:  // these have no launches of this kind
    case KernelFamily::stream:
    case KernelFamily::recurrent:
      break;
  }
  return conv_time(launch, machine, limit);
}

}  // namespace rooftile
