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
  // Memory, regulators and leakage take their part whatever runs: boards that idle at full clocks take 25 to 80 W. Set,
  // with mac_energy's scaling by the process, from published torch.mm rates of eight boards that no fit has rows of
  // (docs/theory.md, "GEMM on FP32 lanes"); a board of less than 38 W is left a tenth.
  constexpr double kOtherWatts = 30, kOtherShare = 0.1, kLeastShare = 0.1;
  const double board = rates.power.value();
  const double left = std::max((1 - kOtherShare) * board - kOtherWatts, kLeastShare * board);
  return std::sqrt(busy * joules / left);
}

// The longer of two times, 3 % more where they are equal. The exponent belongs to the form of the model, as those of
// docs/theory.md do.
inline double sharply_longer(double a, double b) {
  constexpr double kNorm = 24;
  return std::max(a, b) * std::pow(1 + std::pow(std::min(a, b) / std::max(a, b), kNorm), 1 / kNorm);
}

}  // namespace rooftile
