// A GPU as the refined time model sees it, with the constants of a kernel family: plain numbers in base units.
#pragma once

#include "rooftile/base/units.hpp"
#include "rooftile/calibration/calibration.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

struct Machine {
  KernelFamily family = KernelFamily::conv_simt;
  double sms = 1;
  double sm_threads = 1, sm_ctas = 1;  // that an SM holds at once
  double macs_per_second = 1;          // of one SM, at `clock`
  double clock = 1;                    // Hz, of the unit that multiplies
  double base_clock = 1;               // Hz; `clock` where the GPU's file names none
  double l2 = 1, dram = 1;             // bytes per second of the chip
  double l2_capacity = 1;              // bytes
  double l2_latency = 1;               // cycles
  double dram_latency = 1;             // cycles
  double l2_partitions = 1;            // each with a copy of what its SMs read
  double shared_loads = 1;  // CTAs that one load from the L2 can serve: those along a side of a square cluster
  double energy_scale = 1;  // of the chip's process, relative to 16 nm
  double watts = 0;         // board power; 0: not known, so nothing is limited by it
  double launch = 0;        // seconds, overhead of a kernel launch
  double copies = 0;        // Harness::copies and rotates: what of the operands is in the L2 when a kernel starts
  bool rotates = false;
  Constants constants;
};

// Made once per GPU, family and precision. `peak` is the dense rate of the unit that multiplies.
Machine machine_of(const Gpu& gpu, KernelFamily family, FlopsPerSecond peak, const Constants& constants);

}  // namespace rooftile
