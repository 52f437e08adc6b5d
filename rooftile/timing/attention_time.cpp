#include "rooftile/timing/attention_time.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/timing/rounds.hpp"

namespace rooftile {
namespace {

// Special functions a clock of an SM (CUDA C++ Programming Guide, arithmetic throughput), one a pair of query and key.
constexpr double kExponentialsPerClock = 16;

// What the waits and starts of small kernels were fitted at; they grow with the bytes of a key.
constexpr double kUsualDim = 128, kStartDim = 256;

// How much longer products take at the clock that a board keeps up: the longer they run, the nearer they come to it.
double slowdown(double work, const Machine& machine) {
  constexpr double kMicro = 1e-6;
  const double guaranteed = std::min(1.0, machine.base_clock / machine.clock);
  const double lost = (1 - guaranteed) * (1 - machine.constants[AttentionConstant::clock_share]);
  const double window = machine.constants[AttentionConstant::power_window] * kMicro;
  return 1 / (1 - lost * work / (work + window));
}

// Seconds of one CTA alone on an SM.
struct CtaTime {
  double work = 0;   // of a step: products and exponentials
  double wait = 0;   // of a step
  double start = 0;  // before the first step and after the last
};

double start_cycles(const AttentionPlan& plan, const Constants& constants) {
  switch (plan.kernel) {
    case AttentionKernel::tile:
      return constants[AttentionConstant::tile_cycles];
    case AttentionKernel::small:
      return 0;
    case AttentionKernel::vector:
      return constants[AttentionConstant::vector_cycles];
    case AttentionKernel::group:
    case AttentionKernel::converted:
      break;
  }
  return constants[AttentionConstant::group_cycles] * (1 + plan.head_dim / kStartDim);
}

double step_cycles(const AttentionPlan& plan, const Constants& constants) {
  const double dim = plan.head_dim / kUsualDim;
  if (plan.kernel == AttentionKernel::vector) return constants[AttentionConstant::vector_step] * dim;
  if (plan.kernel == AttentionKernel::converted) return constants[AttentionConstant::converted_step] * dim;
  return plan.waits ? constants[AttentionConstant::group_step] * dim : 0;
}

CtaTime cta_time(const AttentionPlan& plan, const Machine& machine) {
  const Constants& constants = machine.constants;
  const double pairs = plan.tile_q * plan.tile_kv;
  const double rate = machine.macs_per_second * constants[constant_of(plan.rate)];
  double products = pairs * 2 * plan.padded_dim / rate;
  products *= slowdown(plan.ctas * plan.split * plan.steps * products / machine.sms, machine);
  const double exponentials = pairs * constants[AttentionConstant::softmax] / (kExponentialsPerClock * machine.clock);
  CtaTime cta;
  cta.work = plan.overlapped ? together(products, exponentials) : products + exponentials;
  cta.wait = step_cycles(plan, constants) / machine.clock;
  cta.start = start_cycles(plan, constants) / machine.clock;
  return cta;
}

// CTAs one after another on the busiest SM, where an SM holds `per_sm` of them in all.
double rounds(double per_sm, double overlap) {
  return (1 - overlap) * std::ceil(per_sm) + overlap * std::max(per_sm, 1.0);
}

// What SMs go through; resident CTAs wait together and work one after another.
struct Busy {
  double work = 0, wait = 0, both = 0;
};

Busy busy_time(const AttentionPlan& plan, const CtaTime& cta, const Machine& machine) {
  const double overlap = plan.persistent && !plan.decode ? machine.constants[AttentionConstant::wave_overlap] : 0;
  const double per_sm = plan.ctas * plan.split / machine.sms;
  const double waves = rounds(per_sm / plan.resident, overlap);
  const double alone = plan.steps * (cta.work + cta.wait) + cta.start;
  Busy busy;
  busy.work = rounds(per_sm, overlap) * plan.steps * cta.work;
  busy.wait = waves * (plan.steps * cta.wait + cta.start);
  busy.both = plan.resident > 1 ? together(busy.work, waves * alone) : waves * alone;
  busy.both = std::max(busy.both, plan.most_steps * (cta.work + cta.wait) + cta.start);
  return busy;
}

// Share that is still in the L2 of what was loaded there `between` bytes ago.
double warm_share(Bytes between, const Machine& machine) {
  const double room = machine.constants[AttentionConstant::warm_share] * machine.l2_capacity / machine.l2_partitions;
  return 1 / (1 + fourth(between.value() / room));
}

}  // namespace

AttentionConstant constant_of(AttentionRate rate) {
  switch (rate) {
    case AttentionRate::full:
      return AttentionConstant::efficiency;
    case AttentionRate::older:
      return AttentionConstant::older_efficiency;
    case AttentionRate::fp8:
      return AttentionConstant::fp8_efficiency;
    case AttentionRate::promoted:
      return AttentionConstant::promoted_efficiency;
    case AttentionRate::spilled:
      return AttentionConstant::spilled_efficiency;
  }
  return AttentionConstant::efficiency;
}

AttentionTime attention_time(const AttentionPlan& plan, const Machine& machine) {
  const Constants& constants = machine.constants;
  const double dram_rate = machine.dram * constants[AttentionConstant::dram_efficiency];
  const double l2_rate = machine.l2 * constants[AttentionConstant::l2_efficiency];
  const double missed = plan.warm ? 1 - warm_share(plan.queries + plan.results + plan.keys + plan.around, machine) : 1;

  const Busy busy = busy_time(plan, cta_time(plan, machine), machine);
  const double again = plan.reuse > Bytes(0) ? (plan.key_loads - 1) * (1 - warm_share(plan.reuse, machine)) : 0;
  AttentionTime result;
  result.dram_load = (plan.queries + plan.keys * (1 + again)) * missed;
  result.dram_store = plan.results * missed;
  const double dram = (result.dram_load + result.dram_store).value() / dram_rate;
  const double l2 = (plan.queries + plan.results + plan.keys * plan.key_loads).value() / l2_rate;
  const double attention = together(busy.both, together(dram, l2));

  const double around_dram = plan.around.value() * missed / dram_rate, around_l2 = plan.around.value() / l2_rate;
  const AttentionConstant token =
      plan.token_writes ? AttentionConstant::written_token_cycles : AttentionConstant::token_cycles;
  const double tokens = plan.token_ctas / machine.sms * constants[token] / machine.clock;
  const double around = together(tokens, together(around_dram, around_l2));

  double combine = 0;
  if (plan.split > 1) {
    combine = constants[AttentionConstant::combine_cycles] / machine.clock + plan.partial.value() / machine.l2;
  }
  const double launch = constants[AttentionConstant::kernel_cost] * (plan.kernels - 1) * machine.launch;

  result.cases[Bottleneck::compute] = Seconds(busy.work);
  result.cases[Bottleneck::latency] = Seconds(busy.wait + tokens + combine);
  result.cases[Bottleneck::l2] = Seconds(l2 + around_l2);
  result.cases[Bottleneck::dram] = Seconds(dram + around_dram);
  result.cases[Bottleneck::launch] = Seconds(launch);
  result.time = Seconds(attention + around + combine + launch);
  return result;
}

}  // namespace rooftile
