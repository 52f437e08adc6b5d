// Kernels that only move bytes: transforms, changes of layout, reductions.
#include "rooftile/base/powers.hpp"
#include "rooftile/timing/launch_time.hpp"

namespace rooftile {
namespace {

// Instructions of a lane to find where an element goes: cuDNN's nchwToNhwcKernel and nhwcToNchwKernel move 510 billion
// elements a second on an H100 (VGG-16), in FP16 two thirds of the bytes that its DRAM could
// (data/measurements/h100-sxm5-80gb/network_kernels.csv).
constexpr double kChangeLayout = 65;

struct MoveEfficiency {
  double l2, dram;
};

MoveEfficiency efficiency_of(const MemoryKernel& kernel, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  if (rates.family == KernelFamily::conv_miopen) {
    return {1, constants[kernel.unfolds ? MiopenConstant::unfold_efficiency : MiopenConstant::transpose_efficiency]};
  }
  if (rates.family == KernelFamily::conv_tensor) {
    return {constants[TensorConstant::l2_efficiency], constants[TensorConstant::convert_efficiency]};
  }
  return {constants[ConvConstant::l2_efficiency], constants[ConvConstant::stream_efficiency]};
}

// Kernels of other families than conv_tensor move all their bytes through DRAM, which always takes longest.
bool moves_by_dram(const GpuRates& rates) { return rates.family != KernelFamily::conv_tensor; }

Seconds dram_time(Bytes moved, const GpuRates& rates, const MoveEfficiency& efficiency) {
  return moved / (rates.dram * efficiency.dram);
}

}  // namespace

LaunchTime move_time(const MemoryKernel& kernel, const GpuRates& rates) {
  const MoveEfficiency efficiency = efficiency_of(kernel, rates);
  const Traffic traffic = move_traffic(kernel, rates);
  LaunchTime result;
  result.l2 = traffic.at_l2() / (rates.l2 * efficiency.l2);
  result.dram = dram_time(traffic.at_dram(), rates, efficiency);
  result.compute = Seconds(kernel.elements * kChangeLayout / (kIssueLanes * rates.sms * rates.clock.value()));
  result.time = moves_by_dram(rates) ? result.dram
                                     : Seconds(fourth_root(fourth(result.compute.value()) + fourth(result.l2.value()) +
                                                           fourth(result.dram.value())));
  return result;
}

Seconds move_seconds(const MemoryKernel& kernel, const GpuRates& rates) {
  if (!moves_by_dram(rates)) return move_time(kernel, rates).time;
  return dram_time(kernel.load + kernel.store, rates, efficiency_of(kernel, rates));
}

}  // namespace rooftile
