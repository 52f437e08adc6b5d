// Convolutions on the FP32 lanes: implicit GEMM and Winograd kernels.
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {

LaunchTime conv_time(const Launch& launch, const Machine& machine, Seconds limit) {
  const Constants& constants = machine.constants;
  LaunchTime result;
  if (launch.ctas == 0) {
    result.dram = result.time = stream_time({launch.dram_load, launch.dram_store}, machine);
    return result;
  }
  const double load = launch.dram_load.value();
  const double store =
      launch.dram_store.value() * (launch.aligned_store ? 1 : 1 + constants[ConvConstant::unaligned_store]);
  const double steps = launch.steps + constants[launch.prologue];
  const double efficiency =
      constants[launch.efficiency] * (launch.gradient ? constants[ConvConstant::gradient_efficiency] : 1);
  const double round = launch.macs_per_step * steps / (machine.macs_per_second * efficiency);
  const Rounds rounds(launch, machine.sms, constants[ConvConstant::latency_warps]);
  const double l2 = launch.l2.value() / (machine.l2 * constants[ConvConstant::l2_efficiency]);
  const double dram =
      (load / constants[ConvConstant::dram_load_efficiency] + store / constants[ConvConstant::dram_store_efficiency]) /
      machine.dram;
  result.compute = Seconds(round * rounds.busy());
  result.latency = Seconds(round * rounds.idle());
  result.l2 = Seconds(l2);
  result.dram = Seconds(dram);
  result.time = kNoLimit;
  const double memory = fourth(l2) + fourth(dram);
  if (fourth(round * std::max(rounds.busy(), rounds.idle())) + memory >= fourth(limit.value())) return result;

  const double busy = round * rounds.both();
  double eighth = square(fourth(busy) + memory);  // power of the time

  constexpr double kPico = 1e-12, kMicro = 1e-6;
  if (machine.watts > 0) {
    const double joules = machine.energy_scale * kPico *
                          (launch.ctas * launch.macs_per_step * steps * constants[ConvConstant::mac_energy] +
                           (load + store) * constants[ConvConstant::byte_energy]);
    const double power = std::max(0.0, joules / machine.watts - constants[ConvConstant::power_window] * kMicro);
    eighth += square(fourth(power));  // the 8-norm: a cap is sharper
    result.power = Seconds(power);
  }
  if (eighth >= square(fourth(limit.value()))) return result;
  double time = std::sqrt(fourth_root(eighth));
  if (launch.atomics > 0) {
    result.atomics = Seconds(launch.atomics / (constants[ConvConstant::atomics] * machine.clock * machine.sms));
    time += result.atomics.value();
  }
  result.time = Seconds(time);
  return result;
}

}  // namespace rooftile
