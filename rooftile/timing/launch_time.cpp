#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

Seconds move_time(const MemoryKernel& kernel, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  double efficiency = constants[ConvConstant::stream_efficiency];
  if (rates.family == KernelFamily::conv_miopen) {
    efficiency = constants[kernel.unfolds ? MiopenConstant::unfold_efficiency : MiopenConstant::transpose_efficiency];
  }
  return move_traffic(kernel).at_dram() / (rates.dram * efficiency);
}

LaunchTime launch_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  switch (rates.family) {
    case KernelFamily::gemm_simt:
      return simt_gemm_time(launch, rates, limit);
    case KernelFamily::tensor:
      return tensor_gemm_time(launch, rates, limit);
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
