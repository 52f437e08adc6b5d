// The refined time model: what one kernel launch takes on a GPU, in closed form (docs/theory.md, "The method
// rooftile").
#pragma once

#include "rooftile/calibration/constants.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/units/units.hpp"

namespace rooftile {

// What the model takes from a GPU and its constants, in plain base units; made once per GPU and precision.
struct Machine {
  double sms = 1;
  double macs_per_second = 1;  // of one SM
  double clock = 1;            // Hz
  double l2 = 1, dram = 1;     // bytes per second of the chip
  double energy_scale = 1;     // of the chip's process, relative to 16 nm
  double watts = 0;            // board power; 0: not known, so nothing is limited by it
  Constants constants;
};

// `peak` is the dense rate of the unit that multiplies.
Machine machine_of(const Gpu& gpu, FlopsPerSecond peak, const Constants& constants);

// The time if only one thing limited the launch, and the time they give together. Without launch overhead.
struct LaunchTime {
  Seconds compute;  // multiply-accumulates of the busiest SM at the tile's issue efficiency
  Seconds latency;  // the same where too few warps are resident to hide latencies
  Seconds l2, dram;
  Seconds power;  // energy over board power
  Seconds atomics;
  Seconds time;
};

LaunchTime launch_time(const Launch& launch, const Machine& machine);

}  // namespace rooftile
