#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

LaunchTime launch_time(const Launch& launch, const GpuRates& rates, Seconds limit, const ProductTerms* terms) {
  switch (rates.family) {
    case KernelFamily::gemm_simt:
      return simt_gemm_time(launch, rates, limit);
    case KernelFamily::tensor:
    case KernelFamily::conv_tensor:
      return tensor_gemm_time(launch, rates, limit, terms);
    case KernelFamily::conv_miopen:
      return miopen_time(launch, rates, limit);
    case KernelFamily::conv_simt:
    case KernelFamily::attention:  // these have no launches of this kind
    case KernelFamily::stream:
    case KernelFamily::recurrent:
      break;
  }
  return conv_time(launch, rates, limit);
}

}  // namespace rooftile
