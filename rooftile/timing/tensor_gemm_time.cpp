// GEMMs, and convolutions as such, on tensor cores.
#include <algorithm>
#include <cmath>

#include "rooftile/timing/power.hpp"
#include "rooftile/timing/product_terms.hpp"
#include "rooftile/timing/tile_time.hpp"

namespace rooftile {
namespace {

// Multiply-accumulates an SM can do a second.
double macs_of_sm(const Launch& launch, const GpuRates& rates) {
  if (launch.product.on_lanes) return rates.sm_lanes.value() / 2;
  const double transposed = launch.product.transposes ? rates.constants[TensorConstant::transposed_share] : 1;
  return rates.macs_per_second() * (launch.product.rate_share * transposed);
}

// The share of them that kernels reach.
double mac_efficiency(const Launch& launch, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  if (launch.product.on_lanes) return constants[TensorConstant::lanes_efficiency];
  const double clock = std::min(1.0, rates.base_clock / rates.clock);
  const double sustained = clock + constants[TensorConstant::clock_share] * (1 - clock);
  return constants[TensorConstant::efficiency] * sustained;
}

double busy_of(const TileTimes& times) {
  return fourth_root(fourth(times.compute) + fourth(times.latency) + fourth(times.l2) + fourth(times.draw)) +
         times.epilogue;
}

// Bytes of A and B that a step loads of a row and a column.
Bytes loaded_element(const Launch::Product& product) {
  return (product.element * product.tile_m + product.b_element() * product.tile_n) / (product.tile_m + product.tile_n);
}

// Seconds that so many CTAs take to write their results.
double epilogue_of(const Launch::Product& product, double ctas, const GpuRates& rates) {
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const Bytes written = product.result > Bytes(0) ? product.result : product.element;
  return rates.constants[TensorConstant::epilogue] * ctas * rows * columns * written.value() * rates.sms /
         rates.l2.value();
}

// CTAs beside the first that keep an SM busy: tensor cores that run beside the threads need none.
double fill_of(const Launch::Product& product, const Constants& constants) {
  return product.asynchronous ? 0 : constants[TensorConstant::fill];
}

// All but DRAM, what a split takes, and how they add up.
TileTimes times_of(const Launch& launch, const GpuRates& rates, const TensorTerms& terms) {
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const BusiestSm busiest(launch, rates.sms, constants[TensorConstant::wave_overlap]);
  const double alone = launch.macs_per_step * launch.steps / macs_of_sm(launch, rates);
  TileTimes times;
  times.compute = busiest.ctas * alone / terms.efficiency;

  const double loop = launch.steps * loaded_element(product).value() / constants[TensorConstant::bytes_in_flight] *
                      terms.latency * terms.missing;
  times.latency = busiest.waves * (loop + fill_of(product, constants) * alone);

  const double loads = launch.l2_load.value();
  times.l2 = (tensor_l2_loads(launch, rates) / terms.l2).value();
  times.draw = busiest.ctas * loads / launch.ctas / terms.sm_draw;
  times.epilogue = epilogue_of(product, busiest.ctas, rates);
  times.split = terms.split;
  return times;
}

// A long product runs into the board's power cap as those of a network do (cap_by_power()), the sooner the hotter it
// is: the clock falls as of products on the FP32 lanes, with their window. 0, or what the cap alone would make of it.
Seconds slow_by_power(TileTimes& times, const Launch& launch, const GpuRates& rates) {
  constexpr double kHalf = 2;    // bytes of the operands that mac_energy is for
  constexpr double kNear = 0.5;  // caps below this share of the time do not show
  constexpr double kSharpness = 1.2, kMicro = 1e-6;
  if (rates.family != KernelFamily::tensor) return Seconds(0);
  const double macs = launch.ctas * launch.macs_per_step * launch.steps;
  const double picojoules = rates.constants[TensorConstant::mac_energy] * launch.product.element.value() / kHalf;
  const double capped = power_limited<TensorConstant>(macs / (rates.macs_per_second() * rates.sms),
                                                      macs * mac_joules(picojoules, rates), rates);
  if (capped <= kNear * times.compute) return Seconds(0);
  const double slower = sharply_longer(times.compute, capped);
  const double window = kMicro * rates.constants[TensorConstant::power_window] / (slower / times.compute - 1);
  const double fallen = gradually(std::pow(together(times.busy, times.dram) / window, kSharpness));
  times.compute += (slower - times.compute) * fallen;
  times.busy = busy_of(times);
  return Seconds(capped * fallen);
}

}  // namespace

TensorTerms tensor_terms(const Launch& launch, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  TensorTerms terms;
  terms.misses = tensor_gemm_misses(launch, rates);
  const double a_missed = terms.misses.activations, b_missed = product.b_weights ? terms.misses.weights : a_missed;
  const double missed = (a_missed * product.m + b_missed * product.n) / (product.m + product.n);
  terms.efficiency = mac_efficiency(launch, rates);
  terms.latency = (rates.l2_latency / rates.clock).value();
  terms.missing = 1 + constants[TensorConstant::miss_latency] * missed;
  terms.l2 = rates.l2 * constants[TensorConstant::l2_efficiency];
  terms.sm_draw = constants[TensorConstant::sm_draw] * rates.clock.value();
  terms.split = Cycles(constants[TensorConstant::split_cycles]) / rates.clock;
  return terms;
}

LaunchTime tensor_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit, const ProductTerms* terms) {
  if (launch.ctas == 0) return move_time({launch.dram_load, launch.dram_store}, rates);
  const TensorTerms own = terms != nullptr ? terms->tensor : tensor_terms(launch, rates);
  TileTimes times = times_of(launch, rates, own);
  // No root or power is taken of what exceeds the limit.
  const double most = limit.value() * (1 + kRounding);
  if (std::max({times.compute, times.latency, times.l2, times.draw}) + times.epilogue >= most)
    return {.time = kNoLimit};
  times.busy = busy_of(times);
  if (times.busy >= most) return {.time = kNoLimit};
  const DramBytes bytes = tensor_gemm_dram(launch, rates, own.misses);
  times.dram = ((bytes.load + bytes.store) / (rates.dram * rates.constants[TensorConstant::dram_efficiency])).value();
  if (together(times.busy, times.dram) >= most) return {.time = kNoLimit};
  const Seconds compute(times.compute);
  const Seconds power = slow_by_power(times, launch, rates);
  LaunchTime result = joined(times, launch, rates);
  result.compute = compute;
  result.power = power;
  result.moved = bytes;
  return result;
}

void set_tensor_gemm_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates) {
  const Constants& constants = rates.constants;
  terms.tensor = tensor_terms(launch, rates);
  const DramBytes once = tensor_gemm_once(launch, terms.tensor.misses);
  terms.dram = (once.load + once.store) / (rates.dram * constants[TensorConstant::dram_efficiency]);
  ProductLeast& least = terms.least;
  least.overlap = constants[TensorConstant::wave_overlap];
  least.chip_least = (launch.dram_load / terms.tensor.l2).value();
  least.split = terms.tensor.split.value();
  least.part = (split_part(launch, rates.family) / rates.l2).value();
}

TileLeast tensor_gemm_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  const Constants& constants = rates.constants;
  const Launch::Product& product = launch.product;
  const TensorTerms& tensor = terms.tensor;
  const double alone = launch.macs_per_step / macs_of_sm(launch, rates);
  return {.product = &terms.least,
          .resident = launch.resident,
          .cta = together(alone / tensor.efficiency, loaded.value() / tensor.sm_draw),
          .wave = loaded_element(product).value() / constants[TensorConstant::bytes_in_flight] * tensor.latency *
                      tensor.missing +
                  fill_of(product, constants) * alone,
          .chip = (loaded / shared_loads(launch, rates) / tensor.l2).value(),
          .epilogue = epilogue_of(product, 1, rates)};
}

}  // namespace rooftile
