// What a few measurements of one board say beside the constants: its sustained clock, its DRAM, its launches and the
// efficiency of each kernel family, relative to what the constants alone predict.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "rooftile/calibration/constants.hpp"

namespace rooftile {

// Measured over predicted time of rows that the constants had not seen: bounds of the middle 90 %.
struct Spread {
  double low = 1, high = 1;
  bool operator==(const Spread&) const = default;
};

struct FamilyFactors {
  double efficiency = 1;  // speed of the family's kernels, whatever limits them
  std::optional<Spread> spread = {};
  bool operator==(const FamilyFactors&) const = default;
};

struct GpuFactors {
  std::string gpu = {};  // id
  double clock = 1;      // of the SMs and of the L2
  double dram_bandwidth = 1;
  double launch_overhead = 1;  // of a call
  std::array<FamilyFactors, kKernelFamilies.size()> families = {};
  std::string data = {}, date = {};  // what they were fitted on
  double rows = 0;

  const FamilyFactors& of(KernelFamily family) const { return families[static_cast<std::size_t>(family)]; }
  FamilyFactors& of(KernelFamily family) { return families[static_cast<std::size_t>(family)]; }
  bool operator==(const GpuFactors&) const = default;
};

// Beyond these lies no board, only a wrong row.
inline constexpr double kLeastFactor = 1e-3, kMostFactor = 1e3;

}  // namespace rooftile
