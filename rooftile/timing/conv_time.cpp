// Convolutions on the FP32 lanes: implicit GEMM and Winograd kernels.
#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {

LaunchTime conv_time(const Launch& launch, const GpuRates& rates, Seconds limit) {
  if (launch.ctas == 0) return move_time({launch.dram_load, launch.dram_store}, rates);
  return conv_time(launch, launch.l2_load, launch.dram_load, rates, limit);
}

// As if it loaded so much.
LaunchTime conv_time(const Launch& launch, Bytes l2_load, Bytes load, const GpuRates& rates, Seconds limit) {
  const Constants& constants = rates.constants;
  LaunchTime result;
  const Bytes store = launch.dram_store * (launch.aligned_store ? 1 : 1 + constants[ConvConstant::unaligned_store]);
  const double steps = launch.steps + constants[launch.prologue];
  const double efficiency =
      constants[launch.efficiency] * (launch.gradient ? constants[ConvConstant::gradient_efficiency] : 1);
  const double round = launch.macs_per_step * steps / (rates.macs_per_second() * launch.rate_share * efficiency);
  const Rounds rounds(launch, rates.sms, constants[ConvConstant::latency_warps]);
  result.l2 = (l2_load + launch.l2_store) / (rates.l2 * constants[ConvConstant::l2_efficiency]);
  result.dram =
      (load / constants[ConvConstant::dram_load_efficiency] + store / constants[ConvConstant::dram_store_efficiency]) /
      rates.dram;
  result.compute = Seconds(round * rounds.busy());
  result.latency = Seconds(round * rounds.idle());
  result.time = kNoLimit;
  const double memory = fourth(result.l2.value()) + fourth(result.dram.value());
  if (fourth(round * std::max(rounds.busy(), rounds.idle())) + memory >= fourth(limit.value())) return result;

  const double busy = round * rounds.both();
  double eighth = square(fourth(busy) + memory);  // power of the time

  constexpr double kPico = 1e-12, kMicro = 1e-6;
  if (rates.power > Watts(0)) {
    const double joules = rates.energy_scale * kPico *
                          (launch.ctas * launch.macs_per_step * steps * constants[ConvConstant::mac_energy] +
                           (load + store).value() * constants[ConvConstant::byte_energy]);
    const double power = std::max(0.0, joules / rates.power.value() - constants[ConvConstant::power_window] * kMicro);
    eighth += square(fourth(power));  // the 8-norm: a cap is sharper
    result.power = Seconds(power);
  }
  if (eighth >= square(fourth(limit.value()))) return result;
  double time = std::sqrt(fourth_root(eighth));
  if (launch.atomics > 0) {
    result.atomics = Seconds(launch.atomics / (constants[ConvConstant::atomics] * rates.clock.value() * rates.sms));
    time += result.atomics.value();
  }
  result.time = Seconds(time);
  return result;
}

}  // namespace rooftile
