#include "rooftile/predict/recurrent_time.hpp"

#include <algorithm>

#include "rooftile/ops/recurrent.hpp"
#include "rooftile/plan/gemm_kernels.hpp"
#include "rooftile/timing/rounds.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

using Constant = RecurrentConstant;

constexpr double kChainBytes = 32;      // of k, that arrive with one latency of Constant::chain
constexpr double kL2Efficiency = 0.85;  // as for GEMMs on the lanes

// What one step of one cell takes, in seconds.
struct CellStep {
  double compute = 0, chain = 0, l2 = 0, dram = 0;
  double gates = 0, gates_l2 = 0;  // elementwise work; its case of the L2
  double launch = 0;               // one after another; the same for all cells that run at once
};

double chain_of(Pass pass, const RecurrentGpu& gpu, const Constants& constants) {
  if (pass == Pass::fwd) return constants[gpu.old_kernels ? Constant::old_chain : Constant::chain];
  return constants[gpu.old_kernels ? Constant::old_backward_chain : Constant::backward_chain];
}

CellStep cell_step(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                   const GpuRates& rates) {
  const Constants& constants = rates.constants;
  const Gemm product = step_product(recurrent, pass);
  const double n = static_cast<double>(product.n), k = static_cast<double>(product.k);
  const double rows = std::max(static_cast<double>(product.m), constants[Constant::tile_rows]);
  const double missed = missed_weights(recurrent, element, rates);
  const CellTraffic traffic = cell_traffic(recurrent, pass, element, rates);
  const BytesPerSecond dram = rates.dram * constants[Constant::dram_efficiency];
  const BytesPerSecond l2 = rates.l2 * kL2Efficiency;
  const double latency = (gpu.l2_latency + (gpu.dram_latency - gpu.l2_latency) * missed).value();
  const double efficiency = constants[gpu.old_kernels ? Constant::old_efficiency : Constant::efficiency];

  CellStep step;
  step.compute = rows * n * k / (rates.macs_per_second() * rates.sms * efficiency);
  step.chain = k * element.value() / kChainBytes * chain_of(pass, gpu, constants) * latency;
  step.l2 = (traffic.product.at_l2() / l2).value();
  step.dram = (traffic.product.at_dram() / dram).value();
  step.gates = (traffic.gates.at_dram() / dram).value();
  step.gates_l2 = (traffic.gates.at_l2() / l2).value();
  step.launch = gpu.launch.value() * launches_of_step(pass, rates);
  return step;
}

// Cells of a round share the SMs and the memory and wait for the same latencies.
void add_rounds(RecurrentTime& sum, const CellRounds& part, const CellStep& step) {
  const double compute = part.cells * step.compute, l2 = part.cells * step.l2, dram = part.cells * step.dram;
  const double gates = part.cells * step.gates;
  const double product = fourth_root(fourth(compute) + fourth(step.chain) + fourth(l2) + fourth(dram));
  sum.compute += Seconds(part.rounds * compute);
  sum.latency += Seconds(part.rounds * step.chain);
  sum.l2 += Seconds(part.rounds * (l2 + part.cells * step.gates_l2));
  sum.dram += Seconds(part.rounds * (dram + gates));
  sum.launch += Seconds(part.rounds * step.launch);
  sum.time += Seconds(part.rounds * (product + gates + step.launch));
}

}  // namespace

RecurrentGpu recurrent_gpu(const Gpu& gpu) {
  const Hertz clock = gpu.sustained_clock.value_or(gpu.clock);
  return {.dram_latency = Seconds(gpu.level("DRAM").latency.value() / clock.value()),
          .l2_latency = Seconds(gpu.level("L2").latency.value() / clock.value()),
          .launch = gpu.launch_overhead,
          .old_kernels = gemm_setting(gpu, true).old_kernels};
}

RecurrentTime recurrent_time(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                             const GpuRates& rates) {
  RecurrentTime result;
  if (pass == Pass::bwd_weight) {
    const Traffic traffic = recurrent_traffic(recurrent, pass, element, rates);
    result.l2 = traffic.at_l2() / (rates.l2 * kL2Efficiency);
    result.dram = traffic.at_dram() / (rates.dram * rates.constants[Constant::dram_efficiency]);
    result.time = result.dram;
    return result;
  }
  const CellStep step = cell_step(recurrent, pass, element, gpu, rates);
  for (const CellRounds& part : cell_rounds(recurrent)) add_rounds(result, part, step);
  return result;
}

double launches_of_step(Pass pass, const GpuRates& rates) {
  return rates.step_launches * (pass == Pass::fwd ? 1 : rates.constants[Constant::backward_launches]);
}

}  // namespace rooftile
