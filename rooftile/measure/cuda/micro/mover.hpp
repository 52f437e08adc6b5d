// The repeated timing that all bandwidth benchmarks share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/measure/cuda/micro/bench.hpp"

namespace rooftile::measure {

// One way to move bytes: how to get ready for a launch, to launch `steps` of it, and to look at what it left.
struct Mover {
  std::function<void()> prepare;
  std::function<void(std::uint32_t)> run;
  std::function<void(std::uint32_t)> check;
  double bytes_per_step = 0;
  std::uint32_t fewest_steps = 1;
};

// Adds a point: bytes per second of launches of about two milliseconds (events and a launch's start cost microseconds).
// The number of steps is even.
void time_mover(Bench& bench, std::string_view variant, double parameter, const Mover& mover);

// A wrong result, unless *sum on the device is as expected.
void expect_sum(Bench& bench, const std::uint32_t* sum, std::uint32_t expected, const std::string& what);

// Of shared memory, in smem_bandwidth.cu.
std::vector<Part> smem_bandwidth_parts();

}  // namespace rooftile::measure
