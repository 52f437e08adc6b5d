// Convolutions as MIOpen runs them: docs/theory.md, "Convolutions on AMD's GPUs".
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/rounds.hpp"

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

  const double per_cu = launch.ctas / rates.sms, overlap = constants[MiopenConstant::wave_overlap];
  const double busiest = (1 - overlap) * std::ceil(per_cu) + overlap * std::max(per_cu, 1.0);
  const double waves = std::max(busiest / launch.resident, 1.0);

  const double alone = launch.macs_per_step * launch.steps / (rates.macs_per_second() * kernel.peak_share);
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const double gathered =
      kernel.gathers ? constants[MiopenConstant::gather] * (rows + columns) * launch.steps / (kGathered * clock) : 0;
  const double compute = busiest * (alone / constants[kernel.efficiency] + gathered);

  LaunchTime result;
  result.time = kNoLimit;
  if (compute >= limit.value()) return result;

  const double element = product.element.value();
  const double loop =
      launch.steps * element / kInFlight * constants[MiopenConstant::latency] * rates.l2_latency.value() / clock;
  const double latency = waves * (loop + constants[MiopenConstant::fill] * alone);
  const double loads = launch.l2_load.value();
  const double l2 = loads / rates.l2.value();
  const double draw = busiest * loads / launch.ctas / (kDrawn * constants[MiopenConstant::draw] * clock);
  const double stored = constants[MiopenConstant::epilogue] * busiest * rows * columns * element / (kStored * clock);
  const double epilogue = std::max(stored, (launch.l2_store / rates.l2).value());
  const double busy = fourth_root(fourth(compute) + fourth(latency) + fourth(std::max(l2, draw))) + epilogue;

  const DramBytes bytes = miopen_dram(launch, rates);
  const double dram = ((bytes.load + bytes.store) / (rates.dram * constants[MiopenConstant::dram_efficiency])).value();

  Seconds split, parts;
  if (product.split > 1) {
    split = Seconds(kMicro *
                    constants[kernel.direct ? MiopenConstant::direct_split_overhead : MiopenConstant::split_overhead]);
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
