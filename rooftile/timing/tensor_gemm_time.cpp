// GEMMs, and convolutions as such, on tensor cores.
#include <algorithm>

#include "rooftile/timing/tile_time.hpp"

namespace rooftile {

LaunchTime tensor_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  if (launch.ctas == 0) return move_time({launch.dram_load, launch.dram_store}, rates);
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const BusiestSm busiest(launch, rates.sms, constants[TensorConstant::wave_overlap]);

  const double clock = std::min(1.0, rates.base_clock / rates.clock);
  const double sustained = clock + constants[TensorConstant::clock_share] * (1 - clock);
  const double macs = launch.macs_per_step * launch.steps;
  const double alone = macs / (product.on_lanes ? rates.sm_lanes.value() / 2 : rates.macs_per_second());
  const double efficiency = product.on_lanes ? constants[TensorConstant::lanes_efficiency]
                                             : constants[TensorConstant::efficiency] * sustained;
  TileTimes times;
  times.compute = busiest.ctas * alone / efficiency;
  if (times.compute >= limit.value()) return {.time = kNoLimit};

  const Misses misses = tensor_gemm_misses(launch, rates);
  const double b_missed = product.b_weights ? misses.weights : misses.activations;
  const double missed = (misses.activations * product.m + b_missed * product.n) / (product.m + product.n);
  const double loop = launch.steps * product.element.value() / constants[TensorConstant::bytes_in_flight] *
                      (rates.l2_latency / rates.clock).value() * (1 + constants[TensorConstant::miss_latency] * missed);
  times.latency = busiest.waves * (loop + constants[TensorConstant::fill] * alone);

  const double loads = launch.l2_load.value();
  times.l2 = loads / (rates.shared_loads * rates.l2.value() * constants[TensorConstant::l2_efficiency]);
  times.draw = busiest.ctas * loads / launch.ctas / (constants[TensorConstant::sm_draw] * rates.clock.value());
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const Bytes written = product.result > Bytes(0) ? product.result : product.element;
  times.epilogue = constants[TensorConstant::epilogue] * busiest.ctas * rows * columns * written.value() * rates.sms /
                   rates.l2.value();
  times.busy = fourth_root(fourth(times.compute) + fourth(times.latency) + fourth(times.l2) + fourth(times.draw)) +
               times.epilogue;

  const DramBytes bytes = tensor_gemm_dram(launch, rates);
  times.dram = ((bytes.load + bytes.store) / (rates.dram * constants[TensorConstant::dram_efficiency])).value();
  times.split = Cycles(constants[TensorConstant::split_cycles]) / rates.clock;
  return joined(times, launch, rates);
}

}  // namespace rooftile
