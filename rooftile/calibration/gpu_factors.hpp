// What a few measurements of one board say beside the constants: its sustained clock, its DRAM, its launches and the
// efficiency of each kernel family, relative to what the constants alone predict; and by how much rows like the
// measured ones are off still.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/calibration/spread.hpp"

namespace rooftile {

struct FamilyFactors {
  double efficiency = 1;  // speed of the family's kernels, whatever limits them
  std::optional<Spread> spread = {};
  bool operator==(const FamilyFactors&) const = default;
};

// Where a call lies among others: how long it takes and what limits it. Calls that lie close are wrong alike.
struct CallPlace {
  // In the order of Bottleneck: the time if it alone limited the call, relative to the call's; at most 1.
  static constexpr std::array<std::string_view, 8> kLimits = {"compute", "smem", "latency", "l1",
                                                              "l2",      "dram", "power",   "launch"};
  double micros = 1;  // predicted
  std::array<double, kLimits.size()> limits{};
  bool operator==(const CallPlace&) const = default;
};

// 1 for equal places; 1/e for times a factor of 55 (e^4) apart, or for a limit that is two thirds of one call and no
// part of the other.
double likeness(const CallPlace& a, const CallPlace& b);

// A measured call of a family.
struct MeasuredCall {
  KernelFamily family = KernelFamily::conv_simt;
  CallPlace place = {};
  double weight = 0;  // adds weight x likeness to the logarithm of a call's time
  bool operator==(const MeasuredCall&) const = default;
};

struct GpuFactors {
  std::string gpu = {};  // id
  double clock = 1;      // of the SMs and of the L2
  double dram_bandwidth = 1;
  double launch_overhead = 1;  // of a call
  std::array<FamilyFactors, kKernelFamilies.size()> families = {};
  std::vector<MeasuredCall> calls = {};
  std::string data = {}, date = {};  // what they were fitted on
  double rows = 0;

  const FamilyFactors& of(KernelFamily family) const { return families[static_cast<std::size_t>(family)]; }
  FamilyFactors& of(KernelFamily family) { return families[static_cast<std::size_t>(family)]; }
  bool operator==(const GpuFactors&) const = default;
};

// Beyond these lies no board, only a wrong row.
inline constexpr double kLeastFactor = 1e-3, kMostFactor = 1e3;

// The factor by which measured calls like it change the time of a call that the other factors predict.
double ratio_of_calls(const GpuFactors& factors, KernelFamily family, const CallPlace& place);

}  // namespace rooftile
