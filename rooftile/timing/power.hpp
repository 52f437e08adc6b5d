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
// sqrt(busy x joules / power). 0 where the power is not known. `Which` is the enumeration of the family's constants.
template <class Which>
double power_limited(double busy, double joules, const GpuRates& rates) {
  if (rates.power <= Watts(0)) return 0;
  constexpr double kLeastShare = 0.1;  // is left for arithmetic, however small the board
  const double board = rates.power.value();
  const double left = (1 - rates.constants[Which::other_share]) * board - rates.constants[Which::other_power];
  return std::sqrt(busy * joules / std::max(left, kLeastShare * board));
}

// The longer of two times, 3 % more where they are equal. The exponent belongs to the form of the model, as those of
// docs/theory/cuda_cores.md do.
inline double sharply_longer(double a, double b) {
  constexpr double kNorm = 24, kFar = 0.2;  // whose power is lost beside 1
  const double longer = std::max(a, b), ratio = std::min(a, b) / longer;
  return ratio < kFar ? longer : longer * std::pow(1 + std::pow(ratio, kNorm), 1 / kNorm);
}

}  // namespace rooftile
