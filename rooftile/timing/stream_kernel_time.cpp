#include "rooftile/timing/stream_kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

// Lanes that an SM issues an instruction for in a clock: four warps. These kernels convert, compare and compute
// addresses as much as they multiply, so the FP32 lanes, fewer on some architectures, are not what limits them.
constexpr double kIssueLanes = 4 * 32;

// Instructions of all lanes together.
double operations(const StreamWork& work, const Constants& constants) {
  return work.operations + work.activations * constants[StreamConstant::activation_ops] +
         work.gates * constants[StreamConstant::gate_ops] + work.softmaxes * constants[StreamConstant::softmax_ops] +
         work.visits * constants[StreamConstant::window_ops] + work.searches * constants[StreamConstant::search_ops];
}

// What the busiest SM goes through: rounds of as many CTAs as fit, which wait together and compute one after another.
struct SmTime {
  double wait = 0, compute = 0;  // seconds
};

// CTAs that an SM holds at once: registers never limit kernels as simple as these.
double resident_ctas(const StreamKernel& kernel, const Machine& machine) {
  return std::clamp(std::floor(machine.sm_threads / kernel.threads), 1.0, machine.sm_ctas);
}

SmTime sm_time(const StreamKernel& kernel, double wait, double compute, const Machine& machine) {
  const double resident = resident_ctas(kernel, machine);
  const double per_round = resident * machine.sms;
  const double full = std::floor(kernel.ctas / per_round);
  const double rest = std::ceil((kernel.ctas - full * per_round) / machine.sms);
  const double rounds = full + (rest > 0 ? 1 : 0);
  return {.wait = rounds * wait, .compute = (full * resident + rest) * compute};
}

}  // namespace

StreamKernelTime stream_kernel_time(const StreamKernel& kernel, const Machine& machine) {
  const Constants& constants = machine.constants;
  const double l2_copy = machine.l2_capacity / machine.l2_partitions;
  const double moved = (kernel.read + kernel.write).value();
  const double miss = 1 - 1 / (1 + square(moved / (constants[StreamConstant::warm_share] * l2_copy)));

  // Rows at work that outgrow the L2 come from DRAM again in each pass.
  const double live = std::min(kernel.ctas, resident_ctas(kernel, machine) * machine.sms) * kernel.row.value();
  const double lost = 1 - 1 / (1 + fourth(live / (constants[StreamConstant::live_share] * l2_copy)));

  StreamKernelTime result;
  result.dram_load = kernel.read * miss + kernel.reread * lost;
  result.dram_store = kernel.write * miss;
  const double dram =
      (result.dram_load.value() + result.dram_store.value() / constants[StreamConstant::dram_store_efficiency]) /
      machine.dram;
  const double l2 = (moved + kernel.reread.value()) / (machine.l2 * constants[StreamConstant::l2_efficiency]);

  const double step = constants[StreamConstant::latency] / machine.clock;
  const double load = machine.l2_latency + std::max(0.0, machine.dram_latency - machine.l2_latency) * miss;
  const double wait = (kernel.steps * load + kernel.resteps * machine.l2_latency) * step;
  const double compute = operations(kernel.work, constants) / kernel.ctas / (kIssueLanes * machine.clock);
  const SmTime sm = sm_time(kernel, wait, compute, machine);
  const double start = constants[StreamConstant::start_cycles] / machine.clock;

  result.cases[Bottleneck::compute] = Seconds(sm.compute);
  result.cases[Bottleneck::latency] = Seconds(sm.wait);
  result.cases[Bottleneck::l2] = Seconds(l2);
  result.cases[Bottleneck::dram] = Seconds(dram);
  result.cases[Bottleneck::launch] = Seconds(start);
  result.time = Seconds(start + fourth_root(fourth(sm.wait + sm.compute) + fourth(l2) + fourth(dram)));
  return result;
}

}  // namespace rooftile
