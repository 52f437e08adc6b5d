// The repeated timing that all rates of arithmetic share, and the loads that sustained.cpp runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/bench.hpp"

namespace rooftile::measure {

inline constexpr int rate_threads = 256;  // of a CTA

struct RateLoop {
  std::string variant;
  int ctas = 1;
  double operations_per_step = 0;  // of the whole grid
  bool exists = true;              // the instruction, on this GPU and in this program's code for it
  // Writes one sum a thread.
  std::function<void(std::uint32_t steps, double* out)> launch;
  // What each of them is.
  std::function<double(std::uint32_t steps)> expected;
};

// Adds a point: operations per second in launches of about four milliseconds.
void time_rate(Bench& bench, const RateLoop& loop);

// wgmma, in rate_wgmma.cu.
std::vector<Part> wgmma_parts();

// In load.cu. Queue multiply-adds in fp32, and tensor products of fp16, on random operands on the whole GPU. `out` has
// room for every thread that the GPU can hold.
void launch_fp32_load(Bench& bench, std::uint32_t steps, double* out);
void launch_fp16_load(Bench& bench, std::uint32_t steps, double* out);

}  // namespace rooftile::measure
