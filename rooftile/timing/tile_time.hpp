// What kernels of tiles on tensor and matrix cores have in common, NVIDIA's and AMD's.
#pragma once

#include <algorithm>
#include <cmath>

#include "rooftile/timing/launch_time.hpp"
#include "rooftile/timing/rounds.hpp"

namespace rooftile {

// CTAs that the busiest SM runs, and waves of resident ones. `overlap` is the share of the last wave's imbalance that
// CTAs which start one by one hide.
struct BusiestSm {
  double ctas = 1, waves = 1;

  BusiestSm(const Launch& launch, double sms, double overlap) {
    const double per_sm = launch.ctas / sms;
    ctas = (1 - overlap) * std::ceil(per_sm) + overlap * std::max(per_sm, 1.0);
    waves = std::max(ctas / launch.resident, 1.0);
  }
};

// Parts of the time, in seconds; `busy` is what all but DRAM and the split take together.
struct TileTimes {
  double compute = 0, latency = 0, draw = 0, l2 = 0, epilogue = 0;
  double busy = 0;
  double dram = 0;
  Seconds split;  // what a split takes whatever its size
};

inline LaunchTime joined(const TileTimes& times, const Launch& launch, const GpuRates& rates) {
  const bool splits = launch.product.split > 1;
  const Seconds split = splits ? times.split : Seconds(0);
  const Seconds parts = splits ? split_parts(launch, rates.family) / rates.l2 : Seconds(0);
  LaunchTime result;
  result.compute = Seconds(times.compute);
  result.latency = Seconds(times.latency);
  result.l1 = Seconds(times.draw);
  result.l2 = Seconds(times.l2);
  result.l2_aside = Seconds(times.epilogue) + parts;
  result.dram = Seconds(times.dram);
  result.atomics = split;
  result.time = Seconds(together(times.busy, times.dram)) + split + parts;
  return result;
}

}  // namespace rooftile
