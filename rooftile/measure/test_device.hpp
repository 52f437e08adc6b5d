// A GPU as a test's device.toml has it: what all of them share; each test adds what it is about.
#pragma once

#include "rooftile/measure/device.hpp"

namespace rooftile::measure {

inline Device device_of(const char* name, const char* compute_capability, double sm_count, Hertz clock) {
  Device device;
  device.name = name;
  device.compute_capability = compute_capability;
  device.driver = "580.65.06";
  device.cuda = "13.0";
  device.date = "2026-11-21";
  device.sm_count = sm_count;
  device.clock = clock;
  return device;
}

// An H200's core.
inline Device h200() {
  Device device = device_of("NVIDIA H200", "9.0", 132, Hertz(1.98e9));
  device.memory_clock = Hertz(3.2e9);
  device.bus_bits = 6144;
  return device;
}

}  // namespace rooftile::measure
