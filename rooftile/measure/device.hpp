// The GPU that is measured, as it describes itself, and the software it runs.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile::measure {

struct Device {
  std::string name;                // "NVIDIA H200"
  std::string compute_capability;  // "9.0"
  std::string driver;              // "580.159.03"
  std::string cuda;                // of the runtime: "13.0"
  std::string cudnn;               // "9.19.0"; empty: built without
  std::string cublas;              // of cuBLASLt; empty: built without
  std::string date;                // when it was measured, ISO 8601

  double sm_count = 0;
  Hertz clock;         // the highest of the SMs
  Hertz memory_clock;  // of the interface, before double data rate; zero: not told
  double bus_bits = 0;
  Bytes memory;  // capacity
  Bytes l2;
  Bytes smem_per_sm;
  Bytes smem_per_cta;  // the most, asked for by name
  double registers_per_sm = 0;
  double threads_per_sm = 0;
  double ctas_per_sm = 0;
  double warp_size = 32;
  Watts power_limit;  // zero: not told
  bool ecc = false;

  bool operator==(const Device&) const = default;
};

// device.toml: a key for each field, numbers in base units.
std::string write_device(const Device& device);
// Errors name file, line and column: text that is not TOML, a key that is unknown, of the wrong type or below zero, a
// GPU without a name, SMs or a clock.
Result<Device> parse_device(std::string_view toml, std::string_view where);

}  // namespace rooftile::measure
