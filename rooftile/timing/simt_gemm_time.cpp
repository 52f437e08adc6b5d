// GEMMs on the FP32 lanes: docs/theory.md, "GEMM on FP32 lanes".
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/power.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

using Constant = SimtGemmConstant;

constexpr double kLine = 128, kSector = 32;  // bytes of an L2 line and of its parts

// From 0 to 1, a half at x = 1; `sharply` within a factor of two or so.
double gradually(double x) { return x / (1 + x); }
double sharply(double x) { return gradually(fourth(x)); }

// One operand's way from DRAM. A wave of CTAs touches `rows` of its rows.
struct Panel {
  double rows = 0;
  double whole = 0;    // bytes of the operand
  double by_wave = 0;  // bytes if every wave loads its rows anew, and its CTAs share them
  double by_cta = 0;   // bytes if every CTA loads its own
  double drift = 0;    // share of that sharing which is lost
};

// CTAs of a wave drift apart along k. What they share is fetched again once the shared panel outgrows the L2; a panel
// that fits is never lost, and later waves drift more because their CTAs start one by one. The exponents were chosen
// with all GPUs of the fit in view.
double drift_scale(const Launch& launch, const Machine& machine, double waves) {
  const Launch::Product& product = launch.product;
  const double lines = launch.resident * machine.sms * (product.tile_m + product.tile_n) * kLine / machine.l2_capacity;
  constexpr double kWaves = 0.7;
  const double later = waves > 1 ? std::pow(waves, kWaves) : 1;
  return lines * lines * lines * later / (machine.constants[Constant::drift] * machine.l2_capacity);
}

Panel panel_of(double rows, double extent, double tile, double waves, double drift, const Launch& launch) {
  const Launch::Product& product = launch.product;
  const double depth = product.k / product.split;  // of a CTA, before padding
  Panel panel;
  panel.rows = rows;
  panel.whole = extent * product.k * product.element * product.batch;
  panel.by_wave = std::max(waves * rows * depth * product.element, panel.whole);
  panel.by_cta = launch.ctas * tile * product.element * launch.steps;
  panel.drift = gradually(rows * depth * product.element * drift);
  return panel;
}

double loads_of(const Panel& panel, double reload) {
  return panel.whole + (panel.by_wave - panel.whole) * reload +
         std::max(panel.by_cta - panel.by_wave, 0.0) * panel.drift;
}

// DRAM bytes of a launch.
double dram_bytes(const Launch& launch, const Machine& machine) {
  const Launch::Product& product = launch.product;
  const Constants& constants = machine.constants;
  const double per_wave = launch.resident * machine.sms;
  const double columns = std::ceil(product.n / product.tile_n), rows = std::ceil(product.m / product.tile_m);
  const double waves = std::max(launch.ctas / per_wave, 1.0);
  // A wave covers the grid column by column of tiles, then row by row, then product by product.
  const double products = std::clamp(per_wave / (columns * rows), 1.0, product.batch * product.split);
  const double wave_n = std::min(columns, per_wave) * product.tile_n * products;
  const double wave_m = std::clamp(per_wave / columns, 1.0, rows) * product.tile_m * products;

  const double drift = drift_scale(launch, machine, waves);
  const Panel a = panel_of(wave_m, product.m, product.tile_m, waves, drift, launch);
  const Panel b = panel_of(wave_n, product.n, product.tile_n, waves, drift, launch);
  const double depth = product.k / product.split;
  const double reload =
      sharply(product.n * depth * product.element / (constants[Constant::reuse_share] * machine.l2_capacity));

  // A k-contiguous operand is read a few elements of a line at a time: where the lines in flight overflow the L2, each
  // comes once for every sector.
  const double lines_a = product.k_contiguous_a ? a.rows + (per_wave * product.tile_m - a.rows) * a.drift : 0;
  const double lines_b = product.k_contiguous_b ? b.rows + (per_wave * product.tile_n - b.rows) * b.drift : 0;
  const Constant row_major = product.old_kernel ? Constant::old_row_major_lines : Constant::row_major_lines;
  const double weight = product.k_contiguous_b ? 1 : constants[row_major];
  const double share = constants[product.old_kernel ? Constant::old_line_share : Constant::line_share];
  const double again = (kLine / kSector - 1) *
                       sharply((lines_a + lines_b) * kLine * weight / (share * machine.l2_capacity)) * depth /
                       (depth + constants[Constant::line_depth]);

  const double store = product.element * product.m * product.n * product.batch;
  return loads_of(a, reload) * (product.k_contiguous_a ? 1 + again : 1) +
         loads_of(b, reload) * (product.k_contiguous_b ? 1 + again : 1) +
         store * (product.bias ? constants[Constant::bias_passes] : 1);
}

}  // namespace

// Multiply-accumulates share the issue slots of an SM with all other instructions. Four schedulers start one warp each
// a clock; lanes for half of that leave every other slot free, lanes for all of it leave none. Chips up to Pascal start
// two.
double issue_share(const Launch& launch, const Machine& machine) {
  constexpr double kSchedulerLanes = 4 * 32;
  constexpr double kOthers = 0.25;  // instructions beside a multiply-accumulate: loads, addresses, stalls of operands
  if (launch.product.old_kernel) return 1;
  const double taken = std::min(1.0, machine.macs_per_second / machine.clock / kSchedulerLanes);
  return 1 / std::max(1.0, taken * (1 + kOthers));
}

LaunchTime simt_gemm_time(const Launch& launch, const Machine& machine, Seconds limit) {
  constexpr double kMicro = 1e-6;
  const Launch::Product& product = launch.product;
  const Constants& constants = machine.constants;
  const double prologue = constants[product.old_kernel ? Constant::old_prologue : Constant::prologue];
  const double steps = launch.steps + prologue;
  const double round = launch.macs_per_step * steps /
                       (machine.macs_per_second * constants[product.efficiency] * issue_share(launch, machine));
  const Rounds rounds(launch, machine.sms, constants[Constant::latency_warps]);

  const double l2_rate = machine.l2 * constants[Constant::l2_efficiency];
  const double loads = launch.ctas * (product.tile_m + product.tile_n) * launch.steps * product.element;
  const double l2 = loads / (l2_rate * std::min(1.0, launch.ctas / machine.sms));
  double split = 0;
  if (product.split > 1) {
    const double parts = 2 * product.element * product.m * product.n * product.batch * product.split;
    split = constants[Constant::split_overhead] * kMicro + parts / l2_rate;
  }
  LaunchTime result;
  result.compute = Seconds(round * rounds.busy());
  result.latency = Seconds(round * rounds.idle());
  result.l2 = Seconds(l2);
  result.time = kNoLimit;
  if (std::max({result.compute, result.latency, result.l2}) + Seconds(split) >= limit) return result;

  const double busy = round * rounds.both();
  const double dram = dram_bytes(launch, machine) / (machine.dram * constants[Constant::dram_efficiency]);
  const double memory = fourth(l2) + fourth(dram);
  double time = fourth_root(fourth(busy) + memory);

  const double macs = launch.ctas * launch.macs_per_step * steps;
  const double capped = power_limited(busy, macs * mac_joules(constants[Constant::mac_energy], machine), machine);
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
  result.atomics = Seconds(split);
  result.time = Seconds(time + split);
  return result;
}

}  // namespace rooftile
