#include "rooftile/timing/machine.hpp"

#include <cmath>

namespace rooftile {
namespace {

constexpr double kReferenceProcess = 16;  // nm

// Energy per operation falls with the name of the process about so: what boards that run into their power cap did, from
// 28 to 12 nm, and for GEMMs on the lanes, whose form counts the voltage by itself, from 16 to 4 nm.
double energy_exponent(KernelFamily family) { return family == KernelFamily::gemm_simt ? 1.0 : 1.2; }

}  // namespace

Machine machine_of(const Gpu& gpu, KernelFamily family, FlopsPerSecond peak, const Constants& constants) {
  Machine machine;
  machine.family = family;
  machine.sms = gpu.sm_count;
  machine.sm_threads = gpu.sm.warps * gpu.sm.warp_size;
  machine.sm_ctas = gpu.sm.ctas;
  machine.macs_per_second = peak.value() / 2 / gpu.sm_count;
  const bool tensor = family == KernelFamily::tensor && gpu.tensor_clock;
  machine.clock = tensor ? gpu.tensor_clock->value() : gpu.clock.value();
  if (gpu.sustained_clock && !tensor) {
    machine.macs_per_second *= *gpu.sustained_clock / gpu.clock;
    machine.clock = gpu.sustained_clock->value();
  }
  machine.base_clock = gpu.base_clock ? gpu.base_clock->value() : machine.clock;
  const MemoryLevel& l2 = gpu.level("L2");
  machine.l2 = l2.bandwidth.value();
  machine.l2_capacity = l2.capacity.value();
  machine.l2_latency = l2.latency.value();
  machine.l2_partitions = l2.partitions;
  machine.shared_loads = std::sqrt(gpu.sm.cluster_ctas);
  machine.dram = gpu.level("DRAM").bandwidth.value();
  machine.dram_latency = gpu.level("DRAM").latency.value();
  if (gpu.tdp) machine.watts = gpu.tdp->value();
  if (gpu.process_nm) machine.energy_scale = std::pow(*gpu.process_nm / kReferenceProcess, energy_exponent(family));
  machine.launch = gpu.launch_overhead.value();
  machine.constants = constants;
  return machine;
}

}  // namespace rooftile
