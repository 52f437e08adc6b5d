#include "rooftile/timing/gpu_rates.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/gpu/process_energy.hpp"

namespace rooftile {
namespace {

// Energy per operation relative to 16 nm. On the lanes it falls with the name of the process about as boards that run
// into their power cap did, from 28 to 12 nm, and for GEMMs, whose form counts the voltage by itself, from 16 to 4 nm.
double energy_scale(KernelFamily family, double nm) {
  if (on_tensor_cores(family)) return process_energy(nm);
  return std::pow(nm / kReferenceProcess, family == KernelFamily::gemm_simt ? 1.0 : 1.2);
}

// Whose kernels keep tensor or matrix cores busy, whatever they multiply.
bool on_matrix_cores(KernelFamily family) {
  return on_tensor_cores(family) || family == KernelFamily::attention || family == KernelFamily::conv_miopen;
}

}  // namespace

GpuRates gpu_rates(const Gpu& gpu, KernelFamily family, FlopsPerSecond peak, const Constants& constants) {
  GpuRates rates;
  rates.family = family;
  rates.sms = gpu.sm_count;
  rates.sm_threads = gpu.sm.warps * gpu.sm.warp_size;
  rates.sm_ctas = gpu.sm.ctas;
  rates.sm_peak = peak / gpu.sm_count;
  if (!on_tensor_cores(family)) rates.sm_peak *= gpu.fma_share;
  rates.sm_lanes = gpu.peak(Peak::fp32) / gpu.sm_count;
  const bool tensor = on_tensor_cores(family) && gpu.tensor_clock;
  rates.clock = tensor ? *gpu.tensor_clock : gpu.clock;
  rates.base_clock = gpu.base_clock.value_or(rates.clock);
  if (gpu.sustained_clock && !tensor) {
    rates.sm_peak *= *gpu.sustained_clock / gpu.clock;
    rates.clock = rates.base_clock = *gpu.sustained_clock;
  }
  if (gpu.product_clock && on_matrix_cores(family)) {  // what starts a kernel, and latencies, keep the clock of boost
    rates.sm_peak *= *gpu.product_clock / gpu.clock;
    rates.base_clock = rates.clock;
  }
  const MemoryLevel& l2 = gpu.level("L2");
  rates.l2 = l2.bandwidth;
  rates.l2_capacity = l2.capacity;
  rates.l2_line = l2.line;
  rates.l2_sector = l2.sector;
  rates.l2_latency = l2.latency;
  rates.l2_partitions = l2.partitions;
  rates.shared_loads = std::min(1 / gpu.sm.l2_load_share, std::sqrt(gpu.sm.cluster_ctas));
  rates.dram = gpu.level("DRAM").bandwidth;
  rates.dram_latency = gpu.level("DRAM").latency;
  if (gpu.tdp) rates.power = *gpu.tdp;
  if (gpu.process_nm) rates.energy_scale = energy_scale(family, *gpu.process_nm);
  rates.launch = gpu.launch_overhead;
  rates.constants = constants;
  return rates;
}

}  // namespace rooftile
