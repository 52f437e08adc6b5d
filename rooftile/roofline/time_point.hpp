// The time-based Roofline (papers: "Time-Based Roofline for Deep Learning Performance Analysis", arXiv 2009.04598):
// where a kernel stands between arithmetic, bandwidth and launch overhead.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "rooftile/roofline/kernel.hpp"
#include "rooftile/roofline/roof.hpp"

namespace rooftile::roofline {

enum class Bound { compute, bandwidth, launch };
std::string_view name_of(Bound bound);

// With F FLOPs, Q bytes, n launches, t the run time, P the peak rate, B the bandwidth, t0 the launch overhead.
struct TimePoint {
  Peak peak = Peak::fp32;        // whose rate P is
  double intensity = 0;          // F / Q; infinite without bytes, 0 without FLOPs
  double balance = 0;            // P / B
  Bound bound = Bound::compute;  // launch where F / P and Q / B fit into n t0; else compute where intensity > balance
  // The complexity point, as the times that it takes at best, and the box of the launch overhead.
  Seconds ideal_compute;    // F / P
  Seconds ideal_bandwidth;  // Q / B
  Seconds overhead;         // n t0
  Seconds achievable;       // the largest of the three
  // The time point: the longer side is t, on the diagonal of the complexity point.
  Seconds compute_time;
  Seconds bandwidth_time;
  double inefficiency = 1;  // t / achievable: the gap between the two points; below 1 where launches overlap or the
                            // kernel did less work than was counted
};

// The unit whose peak is the roof of a kernel: the forced one, else its own, else FP32 where the roof has no such peak;
// nothing where the roof has none of these.
std::optional<Peak> roof_peak(const Kernel& kernel, const Roof& roof, std::optional<Peak> forced = {});

// Nothing where the bytes at that level or the FLOPs are not known, or the roof has no rate for them.
std::optional<TimePoint> analyse(const Kernel& kernel, const Roof& roof, std::size_t level,
                                 std::optional<Peak> forced = {});

}  // namespace rooftile::roofline
