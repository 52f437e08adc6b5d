#include "rooftile/predict/recurrent_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"
#include "rooftile/ops/recurrent.hpp"
#include "rooftile/plan/gemm_kernels.hpp"
#include "rooftile/predict/recurrent_on_chip.hpp"
#include "rooftile/timing/rounds.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

using Constant = RecurrentConstant;

constexpr double kChainBytes = 32;     // of k, that arrive with one latency of Constant::chain
constexpr double kVectorBytes = 2048;  // of k, that a warp of a matrix-times-vectors kernel has in flight
constexpr double kMostVectors = 16, kOldMostVectors = 8;  // that such a kernel takes

// The tile of cuDNN's FP32 products of a step from Hopper on, gates x sequences. A CTA has an SM to itself and walks
// along all of k, 64 clocks of 128 lanes each: on an H100 and an H200 steps of 1,024 and 1,760 units take 66 to 70. No
// later GPU was measured; cuDNN 9 is the first for them, too, and its other FP32 kernels are those that Hopper runs.
constexpr double kLoneTileGates = 128, kLoneTileSequences = 64;

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
  const BytesPerSecond l2 = rates.l2 * rates.constants[Constant::l2_efficiency];
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

// The same where no CTA shares the walk along k with another.
CellStep lone_step(CellStep step, const Gemm& product, const GpuRates& rates) {
  const double ctas = std::ceil(static_cast<double>(product.n) / kLoneTileGates) *
                      std::ceil(static_cast<double>(product.m) / kLoneTileSequences);
  step.chain = kLoneTileGates * kLoneTileSequences * static_cast<double>(product.k) / rates.macs_per_second();
  step.compute = step.chain * ctas / rates.sms;
  return step;
}

// A few sequences: a matrix times vectors. Warps stream the weights, whole lines at a time, and multiply each with an
// element of every vector from shared memory; no tile is padded, and no CTA walks along k alone.
CellStep streamed_step(CellStep step, const Gemm& product, Bytes element, const RecurrentGpu& gpu,
                       const GpuRates& rates, double missed) {
  const double k = static_cast<double>(product.k);
  const double operands = static_cast<double>(product.m) * static_cast<double>(product.n) * k * element.value();
  step.compute = operands / (gpu.shared.value() * rates.clock.value() * rates.sms);
  step.chain =
      k * element.value() / kVectorBytes * (gpu.l2_latency + (gpu.dram_latency - gpu.l2_latency) * missed).value();
  return step;
}

double product_of(const CellStep& step, double cells) {
  return fourth_root(fourth(cells * step.compute) + fourth(step.chain) + fourth(cells * step.l2) +
                     fourth(cells * step.dram));
}

// Cells of a round share the SMs and the memory and wait for the same latencies.
void add_rounds(RecurrentTime& sum, const CellRounds& part, const CellStep& step) {
  const double compute = part.cells * step.compute, l2 = part.cells * step.l2, dram = part.cells * step.dram;
  const double gates = part.cells * step.gates;
  const double product = product_of(step, part.cells);
  sum.compute += Seconds(part.rounds * compute);
  sum.latency += Seconds(part.rounds * step.chain);
  sum.l2 += Seconds(part.rounds * (l2 + part.cells * step.gates_l2));
  sum.dram += Seconds(part.rounds * (dram + gates));
  sum.launch += Seconds(part.rounds * step.launch);
  sum.time += Seconds(part.rounds * (product + gates + step.launch));
}

// One kernel for all steps of a layer. The SMs tell one another the state through the L2: kExchange latencies, to store
// it, to wait until all have, and to load it.
RecurrentTime persistent_time(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                              const GpuRates& rates) {
  constexpr double kExchange = 10, kPaddedBatch = 8;
  const Gemm product = step_product(recurrent, pass);
  const double n = static_cast<double>(product.n), k = static_cast<double>(product.k);
  const double sequences = std::ceil(static_cast<double>(product.m) / kPaddedBatch) * kPaddedBatch;
  const double layers = static_cast<double>(recurrent.layers), cells = static_cast<double>(recurrent.directions);
  const double steps = layers * static_cast<double>(recurrent.steps);
  const double lanes = rates.macs_per_second() * rates.constants[Constant::efficiency];
  const Traffic traffic = persistent_traffic(recurrent, pass, element, rates);

  RecurrentTime result;
  result.on_chip = true;
  const double compute = cells * sequences * n * k / (lanes * persistent_ctas(recurrent, pass, rates));
  const double l2 = (traffic.at_l2() / (rates.l2 * rates.constants[Constant::l2_efficiency])).value() / steps;
  const double exchange = kExchange * gpu.l2_latency.value();
  result.compute = Seconds(steps * compute);
  result.latency = Seconds(steps * exchange);
  result.l2 = Seconds(steps * l2);
  result.dram = traffic.at_dram() / (rates.dram * rates.constants[Constant::dram_efficiency]);
  result.launch = gpu.launch * layers;
  const double step = exchange + fourth_root(fourth(compute) + fourth(l2));
  result.time = Seconds(steps * step) + result.dram + result.launch;
  return result;
}

}  // namespace

RecurrentGpu recurrent_gpu(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  const Hertz clock = gpu.sustained_clock.value_or(gpu.clock);
  return {.dram_latency = Seconds(gpu.level("DRAM").latency.value() / clock.value()),
          .l2_latency = Seconds(gpu.level("L2").latency.value() / clock.value()),
          .launch = gpu.launch_overhead,
          .shared = Bytes(gpu.smem_load_bandwidth.value() / gpu.clock.value()),
          .old_kernels = gemm_setting(gpu, true).old_kernels,
          .lone_ctas = gpu.generation >= generation::kHopper && options.precision == DType::fp32,
          .on_chip = keeps_weights_on_chip(recurrent, gpu, options)};
}

RecurrentTime recurrent_time(const Recurrent& recurrent, Pass pass, Bytes element, const RecurrentGpu& gpu,
                             const GpuRates& rates) {
  RecurrentTime result;
  if (pass == Pass::bwd_weight) {
    const Traffic traffic = recurrent_traffic(recurrent, pass, element, rates);
    result.l2 = traffic.at_l2() / (rates.l2 * rates.constants[Constant::l2_efficiency]);
    result.dram = traffic.at_dram() / (rates.dram * rates.constants[Constant::dram_efficiency]);
    result.time = result.dram;
    return result;
  }
  const Gemm product = step_product(recurrent, pass);
  CellStep tiled = cell_step(recurrent, pass, element, gpu, rates);
  if (gpu.lone_ctas && pass == Pass::fwd) tiled = lone_step(tiled, product, rates);
  const CellStep streamed =
      streamed_step(tiled, product, element, gpu, rates, missed_weights(recurrent, element, rates));
  const bool few =
      static_cast<double>(product.m) <= (gpu.old_kernels || gpu.lone_ctas ? kOldMostVectors : kMostVectors);
  for (const CellRounds& part : cell_rounds(recurrent)) {
    const bool stream = few && product_of(streamed, part.cells) < product_of(tiled, part.cells);
    add_rounds(result, part, stream ? streamed : tiled);
  }
  if (!gpu.on_chip) return result;
  const RecurrentTime persistent = persistent_time(recurrent, pass, element, gpu, rates);
  return persistent.time < result.time ? persistent : result;
}

double launches_of_step(Pass pass, const GpuRates& rates) {
  return rates.step_launches * (pass == Pass::fwd ? 1 : rates.constants[Constant::backward_launches]);
}

}  // namespace rooftile
