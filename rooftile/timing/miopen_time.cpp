// Convolutions as MIOpen runs them: docs/theory.md, "Convolutions on AMD's GPUs".
#include <algorithm>

#include "rooftile/timing/tile_time.hpp"

namespace rooftile {

LaunchTime miopen_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  constexpr double kGathered = 4;              // elements a clock and CU
  constexpr double kDrawn = 64, kStored = 16;  // bytes a clock and CU
  constexpr double kInFlight = 128;            // bytes of a row of A that a CTA has under way
  constexpr double kMicro = 1e-6;
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const Launch::Miopen& kernel = launch.miopen;
  const double clock = rates.clock.value();

  const BusiestSm busiest(launch, rates.sms, constants[MiopenConstant::wave_overlap]);
  const double alone = launch.macs_per_step * launch.steps / (rates.macs_per_second() * kernel.peak_share);
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const double gathered =
      kernel.gathers ? constants[MiopenConstant::gather] * (rows + columns) * launch.steps / (kGathered * clock) : 0;
  TileTimes times;
  times.compute = busiest.ctas * (alone / constants[kernel.efficiency] + gathered);
  if (times.compute >= limit.value()) return {.time = kNoLimit};

  const double element = product.element.value();
  const double loop =
      launch.steps * element / kInFlight * constants[MiopenConstant::latency] * rates.l2_latency.value() / clock;
  times.latency = busiest.waves * (loop + constants[MiopenConstant::fill] * alone);
  const double loads = launch.l2_load.value();
  times.l2 = loads / rates.l2.value();
  times.draw = busiest.ctas * loads / launch.ctas / (kDrawn * constants[MiopenConstant::draw] * clock);
  const double stored =
      constants[MiopenConstant::epilogue] * busiest.ctas * rows * columns * element / (kStored * clock);
  times.epilogue = std::max(stored, (launch.l2_store / rates.l2).value());
  times.busy = fourth_root(fourth(times.compute) + fourth(times.latency) + fourth(std::max(times.l2, times.draw))) +
               times.epilogue;

  const DramBytes bytes = miopen_dram(launch, rates);
  times.dram = ((bytes.load + bytes.store) / (rates.dram * constants[MiopenConstant::dram_efficiency])).value();
  times.split = Seconds(
      kMicro * constants[kernel.direct ? MiopenConstant::direct_split_overhead : MiopenConstant::split_overhead]);
  return joined(times, launch, rates);
}

Seconds miopen_least(const Launch& launch, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const double macs = product.m * product.n * product.k * product.batch;
  const double rate = rates.sms * rates.macs_per_second() * launch.miopen.peak_share;
  const Seconds compute(macs / (rate * constants[launch.miopen.efficiency]));
  const Seconds dram =
      (launch.dram_load + launch.dram_store) / (rates.dram * constants[MiopenConstant::dram_efficiency]);
  return std::max(compute, dram);
}

}  // namespace rooftile
