// What the board's power allows.
#pragma once

#include <algorithm>
#include <cmath>

#include "rooftile/timing/gpu_rates.hpp"

namespace rooftile {

// Joules of one multiply-accumulate at boost clock, where `picojoules` are those at 16 nm and 1.5 GHz: the voltage goes
// with the clock.
inline double mac_joules(double picojoules, const GpuRates& rates) {
  constexpr double kPico = 1e-12, kReferenceClock = 1.5e9;
  return picojoules * kPico * rates.energy_scale * rates.clock.value() / kReferenceClock;
}

// How long a load takes if only the board's power limits it, where it takes `busy` and `joules` at boost clock. Slowed
// down to a share c of that clock, hence of the voltage, it takes busy / c, and c x joules / power: both hold at
// sqrt(busy x joules / power). 0 where the power is not known.
inline double power_limited(double busy, double joules, const GpuRates& rates) {
  if (rates.power <= Watts(0)) return 0;
  // Memory, regulators and leakage take their part whatever runs: boards that idle at full clocks take 25 to 80 W.
  constexpr double kIdleWatts = 30, kIdleShare = 0.1, kLeast = 0.1;
  const double left = std::max((1 - kIdleShare) * rates.power.value() - kIdleWatts, kLeast * rates.power.value());
  return std::sqrt(busy * joules / left);
}

// The longer of two times, 3 % more where they are equal.
inline double sharply_longer(double a, double b) {
  constexpr double kNorm = 24;
  return std::max(a, b) * std::pow(1 + std::pow(std::min(a, b) / std::max(a, b), kNorm), 1 / kNorm);
}

}  // namespace rooftile
