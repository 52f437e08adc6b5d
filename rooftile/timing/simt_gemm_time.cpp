// GEMMs on the FP32 lanes: docs/theory/cuda_cores.md, "Products".
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/power.hpp"
#include "rooftile/timing/product_terms.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

constexpr double kMicrosecond = 1e-6;

double prologue_of(const Launch& launch, const GpuRates& rates) {
  return rates.constants[launch.product.old_kernel ? Constant::old_prologue : Constant::prologue];
}

// A CTA that runs alone, for so many steps of k with what comes before them.
double round_of(const Launch& launch, double steps, const GpuRates& rates) {
  return launch.macs_per_step * steps /
         (rates.macs_per_second() * rates.constants[launch.product.efficiency] * issue_share(launch, rates));
}

BytesPerSecond lanes_l2_rate(const GpuRates& rates) { return rates.l2 * rates.constants[Constant::l2_efficiency]; }

Seconds lanes_l2_time(const Launch& launch, const GpuRates& rates) {
  return launch.l2_load / (lanes_l2_rate(rates) * std::min(1.0, launch.ctas / rates.sms));
}

// Adding up the parts of a split k: what it takes at least, and their bytes.
struct SplitTime {
  Seconds least, parts;
};

SplitTime split_time(const Launch& launch, const GpuRates& rates) {
  if (launch.product.split <= 1) return {};
  return {Seconds(rates.constants[Constant::split_overhead] * kMicrosecond),
          split_parts(launch, rates.family) / lanes_l2_rate(rates)};
}

constexpr double kChoicePrologue = 20;  // steps of k
constexpr double kChoiceLoads = 0.15;

// Of a CTA for a step of k, as old_choice_time() has it.
double old_choice_step(const Launch& launch, const GpuRates& rates) {
  constexpr double kSquare = 1.08, kWide = 1.4, kOther = 1;  // of 64x64 and 128x32 (columns x rows), to the others
  const double rows = launch.product.tile_m;
  return launch.macs_per_step * (rows == 64 ? kSquare : rows == 32 ? kWide : kOther) / rates.macs_per_second();
}

Seconds old_choice_dram(const Launch& launch, const GpuRates& rates) {
  return (launch.dram_load + launch.dram_store) / (rates.dram * rates.constants[Constant::dram_efficiency]);
}

}  // namespace

// Multiply-accumulates share the issue slots of an SM with all other instructions. Four schedulers start one warp each
// a clock; lanes for half of that leave every other slot free, lanes for all of it leave none. Chips up to Pascal start
// two.
double issue_share(const Launch& launch, const GpuRates& rates) {
  constexpr double kOthers = 0.25;  // instructions beside a multiply-accumulate: loads, addresses, stalls of operands
  if (launch.product.old_kernel) return 1;
  const double taken = std::min(1.0, rates.macs_per_second() / rates.clock.value() / kIssueLanes);
  return 1 / std::max(1.0, taken * (1 + kOthers));
}

LaunchTime simt_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  const Constants& constants = rates.constants;
  const double steps = launch.steps + prologue_of(launch, rates);
  const double round = round_of(launch, steps, rates);
  const Rounds rounds(launch, rates.sms, constants[Constant::latency_warps]);

  const double l2 = lanes_l2_time(launch, rates).value();
  const auto [split, parts] = split_time(launch, rates);
  LaunchTime result;
  result.compute = Seconds(round * rounds.busy());
  result.latency = Seconds(round * rounds.idle());
  result.l2 = Seconds(l2);
  result.l2_aside = (launch.l2_store + simt_gemm_bias(launch, rates)) / lanes_l2_rate(rates) + parts;
  result.time = kNoLimit;
  // What is left of the limit, as a fourth power: no root or power is taken of what exceeds it.
  const double left = (limit - split - parts).value();
  const double most = left > 0 ? fourth(left) * (1 + kRounding) : 0;
  if (fourth(round * std::max(rounds.busy(), rounds.idle())) + fourth(l2) >= most) return result;

  const double busy = round * rounds.both();
  const DramBytes bytes = simt_gemm_dram(launch, rates);
  const double dram = ((bytes.load + bytes.store) / (rates.dram * constants[Constant::dram_efficiency])).value();
  const double memory = fourth(l2) + fourth(dram);
  if (fourth(busy) + memory >= most) return result;
  double time = fourth_root(fourth(busy) + memory);

  const double macs = launch.ctas * launch.macs_per_step * steps;
  const double capped = power_limited<Constant>(busy, macs * mac_joules(constants[Constant::mac_energy], rates), rates);
  const double slower = sharply_longer(busy, capped);
  double fallen = 0;
  if (slower > busy) {  // the clock falls from its boost within a window, the sooner the hotter the load
    constexpr double kSharpness = 1.2;
    const double window = constants[Constant::power_window] * kMicrosecond / (slower / busy - 1);
    fallen = gradually(std::pow(time / window, kSharpness));
    time = fourth_root(fourth(busy + (slower - busy) * fallen) + memory);
  }
  result.dram = Seconds(dram);
  result.moved = bytes;
  result.power = Seconds(fallen * capped);
  result.atomics = split;
  result.time = Seconds(time) + split + parts;
  return result;
}

// Multiply-accumulates in whole waves at nominal efficiencies and a share of the tiles' loads at the rate of the DRAM,
// or what is in memory once. That lines are read again, which makes some choices twice as slow as others, it does not
// know. The weights are those that come nearest to what ran on P4 and P100 (2,400 linear layers).
Seconds old_choice_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  const double round = old_choice_step(launch, rates) * (launch.steps + kChoicePrologue);
  const Rounds rounds(launch, rates.sms, rates.constants[Constant::latency_warps]);
  const Seconds loads = launch.l2_load / rates.dram * kChoiceLoads;
  if (Seconds(round * std::max(rounds.busy(), rounds.idle())) + loads >= limit * (1 + kRounding)) return kNoLimit;
  const Seconds busy = Seconds(round * rounds.both()) + loads;
  const auto [split, parts] = split_time(launch, rates);
  return Seconds(together(busy.value(), old_choice_dram(launch, rates).value())) + split + parts;
}

namespace {

void set_split_terms(ProductLeast& least, const Launch& launch, const GpuRates& rates) {
  least.split = rates.constants[Constant::split_overhead] * kMicrosecond;
  least.part = (split_part(launch, rates.family) / lanes_l2_rate(rates)).value();
}

// As if waves overlapped.
TileLeast lanes_least(const Launch& launch, double cta, double chip, const GpuRates& rates, const ProductTerms& terms) {
  return {.product = &terms.least,
          .resident = launch.resident,
          .cta = cta,
          .wave = cta * rates.constants[Constant::latency_warps] / launch.warps,
          .chip = chip};
}

}  // namespace

void set_simt_gemm_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates) {
  terms.lanes.macs = rates.macs_per_second() * issue_share(launch, rates);
  terms.lanes.l2 = lanes_l2_rate(rates);
  const DramBytes once = simt_gemm_once(launch, rates);
  terms.dram = (once.load + once.store) / (rates.dram * rates.constants[Constant::dram_efficiency]);
  terms.least.whole_waves = true;
  terms.least.prologue = prologue_of(launch, rates);
  terms.least.least_ctas = rates.sms;
  set_split_terms(terms.least, launch, rates);
}

TileLeast simt_gemm_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  const double cta = launch.macs_per_step / (terms.lanes.macs * rates.constants[launch.product.efficiency]);
  return lanes_least(launch, cta, (loaded / terms.lanes.l2).value(), rates, terms);
}

void set_old_choice_terms(ProductTerms& terms, const Launch& launch, const GpuRates& rates) {
  terms.dram = old_choice_dram(launch, rates);
  terms.least.whole_waves = true;
  terms.least.prologue = kChoicePrologue;
  set_split_terms(terms.least, launch, rates);
}

TileLeast old_choice_least(const Launch& launch, Bytes loaded, const GpuRates& rates, const ProductTerms& terms) {
  const double chip = (loaded / rates.dram * kChoiceLoads).value();
  return lanes_least(launch, old_choice_step(launch, rates), chip, rates, terms);
}

}  // namespace rooftile
