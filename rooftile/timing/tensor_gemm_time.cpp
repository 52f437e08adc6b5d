// GEMMs, and convolutions as such, on tensor cores.
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

// CTAs that the busiest SM runs, and waves of resident ones.
struct BusiestSm {
  double ctas = 1, waves = 1;
};

BusiestSm busiest_sm(const Launch& launch, const GpuRates& rates) {
  const double overlap = rates.constants[TensorConstant::wave_overlap];
  const double per_sm = launch.ctas / rates.sms;
  BusiestSm rounds;
  rounds.ctas = (1 - overlap) * std::ceil(per_sm) + overlap * std::max(per_sm, 1.0);
  rounds.waves = std::max(rounds.ctas / launch.resident, 1.0);
  return rounds;
}

}  // namespace

LaunchTime tensor_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  if (launch.ctas == 0) return move_time({launch.dram_load, launch.dram_store}, rates);
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const BusiestSm rounds = busiest_sm(launch, rates);

  const double clock = std::min(1.0, rates.base_clock / rates.clock);
  const double sustained = clock + constants[TensorConstant::clock_share] * (1 - clock);
  const double macs = launch.macs_per_step * launch.steps;
  const double alone = macs / (product.on_lanes ? rates.sm_lanes.value() / 2 : rates.macs_per_second());
  const double efficiency = product.on_lanes ? constants[TensorConstant::lanes_efficiency]
                                             : constants[TensorConstant::efficiency] * sustained;
  const double compute = rounds.ctas * alone / efficiency;

  LaunchTime result;
  result.time = kNoLimit;
  if (compute >= limit.value()) return result;

  const Misses misses = tensor_gemm_misses(launch, rates);
  const double b_missed = product.b_weights ? misses.weights : misses.activations;
  const double missed = (misses.activations * product.m + b_missed * product.n) / (product.m + product.n);
  const double loop = launch.steps * product.element.value() / constants[TensorConstant::bytes_in_flight] *
                      (rates.l2_latency / rates.clock).value() * (1 + constants[TensorConstant::miss_latency] * missed);
  const double latency = rounds.waves * (loop + constants[TensorConstant::fill] * alone);

  const double loads = launch.l2_load.value();
  const double l2 = loads / (rates.shared_loads * rates.l2.value() * constants[TensorConstant::l2_efficiency]);
  const double draw = rounds.ctas * loads / launch.ctas / (constants[TensorConstant::sm_draw] * rates.clock.value());
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const Bytes written = product.result > Bytes(0) ? product.result : product.element;
  const double epilogue = constants[TensorConstant::epilogue] * rounds.ctas * rows * columns * written.value() *
                          rates.sms / rates.l2.value();
  const double busy = fourth_root(fourth(compute) + fourth(latency) + fourth(l2) + fourth(draw)) + epilogue;

  const DramBytes bytes = tensor_gemm_dram(launch, rates);
  const double dram = ((bytes.load + bytes.store) / (rates.dram * constants[TensorConstant::dram_efficiency])).value();

  Seconds split, parts;
  if (product.split > 1) {
    split = Cycles(constants[TensorConstant::split_cycles]) / rates.clock;
    parts = split_parts(launch, rates.family) / rates.l2;
  }
  result.compute = Seconds(compute);
  result.latency = Seconds(latency);
  result.l1 = Seconds(draw);
  result.l2 = Seconds(l2);
  result.l2_aside = Seconds(epilogue) + parts;
  result.dram = Seconds(dram);
  result.atomics = split;
  result.time = Seconds(fourth_root(fourth(busy) + fourth(dram))) + split + parts;
  return result;
}

}  // namespace rooftile
