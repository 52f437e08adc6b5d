#include "rooftile/timing/stream_kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

// Instructions of all lanes together.
double operations(const StreamWork& work, const Constants& constants) {
  return work.operations + work.activations * constants[StreamConstant::activation_ops] +
         work.gates * constants[StreamConstant::gate_ops] + work.softmaxes * constants[StreamConstant::softmax_ops] +
         work.visits * constants[StreamConstant::window_ops] + work.searches * constants[StreamConstant::search_ops] +
         work.column_sums * constants[StreamConstant::column_ops];
}

// What the busiest SM goes through: rounds of as many CTAs as fit, which wait together and compute one after another.
struct SmTime {
  double wait = 0, compute = 0;  // seconds
};

SmTime sm_time(const StreamKernel& kernel, double wait, double compute, const GpuRates& rates) {
  const double resident = resident_ctas(kernel, rates);
  const double per_round = resident * rates.sms;
  const double full = std::floor(kernel.ctas / per_round);
  const double rest = std::ceil((kernel.ctas - full * per_round) / rates.sms);
  const double rounds = full + (rest > 0 ? 1 : 0);
  const SmTime apart{.wait = rounds * wait, .compute = (full * resident + rest) * compute};
  if (!kernel.overlaps) return apart;
  return {.wait = std::max(wait, apart.wait - apart.compute), .compute = apart.compute};
}

}  // namespace

StreamKernelTime stream_kernel_time(const StreamKernel& kernel, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  StreamKernelTime result;
  const StreamMisses misses = stream_misses(kernel, rates);
  result.traffic = stream_traffic(kernel, misses);
  const double dram =
      ((result.traffic.dram + result.traffic.store_dram / constants[StreamConstant::dram_store_efficiency]) /
       rates.dram)
          .value();
  const double l2 = (result.traffic.at_l2() / (rates.l2 * constants[StreamConstant::l2_efficiency])).value();

  const double step = constants[StreamConstant::latency] / rates.clock.value();
  const Cycles farther = std::max(Cycles(0), rates.dram_latency - rates.l2_latency);
  const Cycles load = rates.l2_latency + farther * misses.moved;
  const Cycles reload = rates.l2_latency + farther * misses.rows;
  const double wait = (kernel.steps * load + kernel.resteps * reload).value() * step;
  const double compute = operations(kernel.work, constants) / kernel.ctas / (kIssueLanes * rates.clock.value());
  const SmTime sm = sm_time(kernel, wait, compute, rates);
  const double handed_out = kernel.handed_out / rates.clock.value();  // one in a clock
  const double start = constants[StreamConstant::start_cycles] / rates.clock.value();

  result.cases[Bottleneck::compute] = Seconds(sm.compute);
  result.cases[Bottleneck::latency] = Seconds(sm.wait);
  result.cases[Bottleneck::l2] = Seconds(l2);
  result.cases[Bottleneck::dram] = Seconds(dram);
  result.cases[Bottleneck::launch] = Seconds(start);
  result.time =
      Seconds(start + fourth_root(fourth(sm.wait + sm.compute) + fourth(handed_out) + fourth(l2) + fourth(dram)));
  return result;
}

}  // namespace rooftile
