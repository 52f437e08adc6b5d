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

BusiestSm busiest_sm(const Launch& launch, const Machine& machine) {
  const double overlap = machine.constants[TensorConstant::wave_overlap];
  const double per_sm = launch.ctas / machine.sms;
  BusiestSm rounds;
  rounds.ctas = (1 - overlap) * std::ceil(per_sm) + overlap * std::max(per_sm, 1.0);
  rounds.waves = std::max(rounds.ctas / launch.resident, 1.0);
  return rounds;
}

// Share that is still in the L2 of what was used there `between` bytes ago.
double warm_share(double between, const Machine& machine) {
  const double room = machine.constants[TensorConstant::warm_share] * machine.l2_capacity / machine.l2_partitions;
  return 1 / (1 + square(fourth(between / room)));
}

// Shares of the operands that come from DRAM.
struct Misses {
  double activations = 1, weights = 1;
};

Misses misses_of(const Launch& launch, const Machine& machine) {
  if (machine.copies == 0) return {};
  const Launch::Product& product = launch.product;
  const double weights = product.b_weights ? product.b_bytes : 0;
  const double activations = product.a_bytes + product.b_bytes - weights + launch.dram_store.value();
  if (machine.rotates) {
    const double missed = 1 - warm_share(machine.copies * (activations + weights), machine);
    return {missed, missed};
  }
  return {1 - warm_share(activations + weights, machine),
          1 - warm_share(activations + machine.copies * weights, machine)};
}

// Bytes that waves read again from DRAM: each reads the operands of the square of C that it covers.
double reread_bytes(const Launch& launch, const Machine& machine) {
  const Launch::Product& product = launch.product;
  const double depth = std::ceil(product.k / product.tile_k) * product.tile_k;
  const double unique = std::min(1.0, product.a_bytes / (product.batch * product.m * product.k * product.element));
  const double side = std::sqrt(machine.sms * launch.resident * launch.macs_per_step);
  const double again = product.m * product.n / side * (1 + unique) - product.m * unique - product.n;
  if (again <= 0) return 0;
  const double held = machine.l2_capacity * machine.constants[TensorConstant::reread_share];
  const double operands = (product.m * unique + product.n) * product.k * product.element;
  return product.batch * again * depth * product.element / (1 + square(held / operands));
}

}  // namespace

LaunchTime tensor_gemm_time(const Launch& launch, const Machine& machine, Seconds limit) {
  const Constants& constants = machine.constants;
  const Launch::Product& product = launch.product;
  const BusiestSm rounds = busiest_sm(launch, machine);
  const double store = launch.dram_store.value(), loads = launch.l2.value() - store;

  const double clock = std::min(1.0, machine.base_clock / machine.clock);
  const double sustained = clock + constants[TensorConstant::clock_share] * (1 - clock);
  const double alone = launch.macs_per_step * launch.steps / machine.macs_per_second;
  const double compute = rounds.ctas * alone / (constants[TensorConstant::efficiency] * sustained);

  LaunchTime result;
  result.time = kNoLimit;
  if (compute >= limit.value()) return result;

  const Misses misses = misses_of(launch, machine);
  const double b_missed = product.b_weights ? misses.weights : misses.activations;
  const double missed = (misses.activations * product.m + b_missed * product.n) / (product.m + product.n);
  const double loop = launch.steps * product.element / constants[TensorConstant::bytes_in_flight] * machine.l2_latency /
                      machine.clock * (1 + constants[TensorConstant::miss_latency] * missed);
  const double latency = rounds.waves * (loop + constants[TensorConstant::fill] * alone);

  const double l2 = loads / (machine.shared_loads * machine.l2 * constants[TensorConstant::l2_efficiency]);
  const double draw = rounds.ctas * loads / launch.ctas / (constants[TensorConstant::sm_draw] * machine.clock);
  const double rows = std::min(product.tile_m, product.m), columns = std::min(product.tile_n, product.n);
  const double epilogue =
      constants[TensorConstant::epilogue] * rounds.ctas * rows * columns * product.element * machine.sms / machine.l2;
  const double busy = fourth_root(fourth(compute) + fourth(latency) + fourth(l2) + fourth(draw)) + epilogue;

  const double weights = product.b_weights ? product.b_bytes : 0;
  const double activations = product.a_bytes + product.b_bytes - weights + store;
  const double dram = (misses.activations * activations + misses.weights * weights +
                       constants[TensorConstant::reread] * reread_bytes(launch, machine)) /
                      (machine.dram * constants[TensorConstant::dram_efficiency]);

  double split = 0;
  if (product.split > 1) {
    constexpr double kPartial = 8;  // FP32, stored and loaded
    split = constants[TensorConstant::split_cycles] / machine.clock +
            kPartial * product.m * product.n * product.batch * product.split / machine.l2;
  }
  result.compute = Seconds(compute);
  result.latency = Seconds(latency);
  result.l2 = Seconds(std::max(l2, draw) + epilogue);
  result.dram = Seconds(dram);
  result.atomics = Seconds(split);
  result.time = Seconds(fourth_root(fourth(busy) + fourth(dram)) + split);
  return result;
}

}  // namespace rooftile
