// GEMMs on the FP32 lanes: docs/theory.md, "GEMM on FP32 lanes".
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/power.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

// A CTA that runs alone.
double round_of(const Launch& launch, const GpuRates& rates) {
  const Launch::Product& product = launch.product;
  const double prologue = rates.constants[product.old_kernel ? Constant::old_prologue : Constant::prologue];
  return launch.macs_per_step * (launch.steps + prologue) /
         (rates.macs_per_second() * rates.constants[product.efficiency] * issue_share(launch, rates));
}

// Adding up the parts of a split k: what it takes at least, and their bytes.
struct SplitTime {
  Seconds least, parts;
};

SplitTime split_time(const Launch& launch, const GpuRates& rates) {
  constexpr double kMicro = 1e-6;
  if (launch.product.split <= 1) return {};
  const BytesPerSecond l2_rate = rates.l2 * rates.constants[Constant::l2_efficiency];
  return {Seconds(rates.constants[Constant::split_overhead] * kMicro), split_parts(launch, rates.family) / l2_rate};
}

}  // namespace

// Multiply-accumulates share the issue slots of an SM with all other instructions. Four schedulers start one warp each
// a clock; lanes for half of that leave every other slot free, lanes for all of it leave none. Chips up to Pascal start
// two.
double issue_share(const Launch& launch, const GpuRates& rates) {
  constexpr double kSchedulerLanes = 4 * 32;
  constexpr double kOthers = 0.25;  // instructions beside a multiply-accumulate: loads, addresses, stalls of operands
  if (launch.product.old_kernel) return 1;
  const double taken = std::min(1.0, rates.macs_per_second() / rates.clock.value() / kSchedulerLanes);
  return 1 / std::max(1.0, taken * (1 + kOthers));
}

LaunchTime simt_gemm_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  const Constants& constants = rates.constants;
  const double round = round_of(launch, rates);
  const Rounds rounds(launch, rates.sms, constants[Constant::latency_warps]);

  const BytesPerSecond l2_rate = rates.l2 * constants[Constant::l2_efficiency];
  const double l2 = (launch.l2_load / (l2_rate * std::min(1.0, launch.ctas / rates.sms))).value();
  const auto [split, parts] = split_time(launch, rates);
  LaunchTime result;
  result.compute = Seconds(round * rounds.busy());
  result.latency = Seconds(round * rounds.idle());
  result.l2 = Seconds(l2);
  result.l2_aside = launch.l2_store / l2_rate + parts;
  result.time = kNoLimit;
  if (std::max({result.compute, result.latency, result.l2}) + split + parts >= limit) return result;

  const double busy = round * rounds.both();
  const DramBytes bytes = simt_gemm_dram(launch, rates);
  const double dram = ((bytes.load + bytes.store) / (rates.dram * constants[Constant::dram_efficiency])).value();
  const double memory = fourth(l2) + fourth(dram);
  double time = fourth_root(fourth(busy) + memory);

  const double steps =
      launch.steps + constants[launch.product.old_kernel ? Constant::old_prologue : Constant::prologue];
  const double macs = launch.ctas * launch.macs_per_step * steps;
  const double capped = power_limited(busy, macs * mac_joules(constants[Constant::mac_energy], rates), rates);
  const double slower = sharply_longer(busy, capped);
  double fallen = 0;
  if (slower > busy) {  // the clock falls from its boost within a window, the sooner the hotter the load
    constexpr double kSharpness = 1.2;
    const double window = constants[Constant::power_window] * kMicro / (slower / busy - 1);
    fallen = gradually(std::pow(time / window, kSharpness));
    time = fourth_root(fourth(busy + (slower - busy) * fallen) + memory);
  }
  result.dram = Seconds(dram);
  result.power = Seconds(fallen * capped);
  result.atomics = split;
  result.time = Seconds(time) + split + parts;
  return result;
}

// Multiply-accumulates in whole waves at nominal efficiencies and a share of the tiles' loads at the rate of the DRAM,
// or what is in memory once. That lines are read again, which makes some choices twice as slow as others, it does not
// know. The weights are those that come nearest to what ran on P4 and P100 (2,400 linear layers).
Seconds old_choice_time(const Launch& launch, const GpuRates& rates) {
  constexpr double kSquare = 1.08, kWide = 1.4, kOther = 1;  // of 64x64 and 128x32 (columns x rows), to the others
  constexpr double kPrologue = 20;                           // steps of k
  constexpr double kLoads = 0.15;
  const Launch::Product& product = launch.product;
  const double tile = product.tile_m == 64 ? kSquare : product.tile_m == 32 ? kWide : kOther;
  const double round = launch.macs_per_step * (launch.steps + kPrologue) * tile / rates.macs_per_second();
  const Rounds rounds(launch, rates.sms, rates.constants[Constant::latency_warps]);
  const Seconds busy = Seconds(round * rounds.both()) + launch.l2_load / rates.dram * kLoads;
  const Seconds dram =
      (launch.dram_load + launch.dram_store) / (rates.dram * rates.constants[Constant::dram_efficiency]);
  const auto [split, parts] = split_time(launch, rates);
  return Seconds(together(busy.value(), dram.value())) + split + parts;
}

}  // namespace rooftile
