// Convolutions as MIOpen runs them: docs/theory/amd_convolutions.md.
#include <algorithm>

#include "rooftile/timing/product_terms.hpp"
#include "rooftile/timing/tile_time.hpp"

namespace rooftile {
namespace {

constexpr double kGathered = 4;    // loads a clock and CU
constexpr double kStored = 16;     // bytes a clock and CU
constexpr double kInFlight = 128;  // bytes of a row of A that a CTA has under way

// Of a CTA for one step of k.
double gathered_loads(const Launch::Miopen& kernel, double rows, double columns) {
  return rows * kernel.row_loads + columns * kernel.column_loads;
}

Seconds split_overhead(const Launch& launch, const Constants& constants) {
  constexpr double kMicro = 1e-6;
  return Seconds(
      kMicro *
      constants[launch.miopen.direct ? MiopenConstant::direct_split_overhead : MiopenConstant::split_overhead]);
}

}  // namespace

LaunchTime miopen_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  constexpr double kDrawn = 64;  // bytes a clock and CU
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const Launch::Miopen& kernel = launch.miopen;
  const double clock = rates.clock.value();

  const BusiestSm busiest(launch, rates.sms, constants[MiopenConstant::wave_overlap]);
  const double alone = launch.macs_per_step * launch.steps / (rates.macs_per_second() * kernel.peak_share);
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const double gathered =
      constants[MiopenConstant::gather] * gathered_loads(kernel, rows, columns) * launch.steps / (kGathered * clock);
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
  times.split = split_overhead(launch, constants);
  return joined(times, launch, rates);
}

void set_miopen_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  terms.dram = (launch.dram_load + launch.dram_store) / (rates.dram * constants[MiopenConstant::dram_efficiency]);
  ProductLeast& least = terms.least;
  least.overlap = constants[MiopenConstant::wave_overlap];
  least.split = split_overhead(launch, constants).value();
  least.part = (split_part(launch, rates.family) / rates.l2).value();
}

// Without what CUs draw from the L2.
TileLeast miopen_tile_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const double clock = rates.clock.value(), element = product.element.value();
  const double alone = launch.macs_per_step / (rates.macs_per_second() * launch.miopen.peak_share);
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const double gathered =
      constants[MiopenConstant::gather] * gathered_loads(launch.miopen, rows, columns) / (kGathered * clock);
  return {.product = &terms.least,
          .resident = launch.resident,
          .cta = alone / constants[launch.miopen.efficiency] + gathered,
          .wave = element / kInFlight * constants[MiopenConstant::latency] * rates.l2_latency.value() / clock +
                  constants[MiopenConstant::fill] * alone,
          .chip = (loaded / rates.l2).value(),
          .epilogue = constants[MiopenConstant::epilogue] * rows * columns * element / (kStored * clock)};
}

Seconds miopen_compute_least(const Launch& launch, const GpuRates& rates) {
  const Launch::Product& product = launch.product;
  const double macs = product.m * product.n * product.k * product.batch;
  const double rate = rates.sms * rates.macs_per_second() * launch.miopen.peak_share;
  return Seconds(macs / (rate * rates.constants[launch.miopen.efficiency]));
}

}  // namespace rooftile
