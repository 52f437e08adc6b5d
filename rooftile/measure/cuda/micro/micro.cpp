#include "rooftile/measure/cuda/micro/micro.hpp"

#include <array>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"

namespace rooftile::measure {

std::span<const MicroBenchmark> microbenchmarks() {
  static constexpr std::array<MicroBenchmark, 9> all = {{
      {"latency", "cycles a dependent load takes, by working set", run_latency},
      {"line_latency", "cycles to each of many L2 lines from one SM: the near and the far part of the L2",
       run_line_latency},
      {"sector", "cycles of a second load near a first: what a miss of the L1 brings along", run_sector},
      {"request", "cycles a warp's load takes in the L1, by the lanes' stride", run_request},
      {"bandwidth", "bytes per second of L1, L2, DRAM and shared memory", run_bandwidth},
      {"loaded_latency", "latency of DRAM against the bandwidth that is drawn", run_loaded_latency},
      {"rate", "operations per second of the arithmetic and tensor units", run_rate},
      {"launch", "seconds a kernel launch costs", run_launch},
      {"sustained", "clocks, power and temperature during a long load", run_sustained},
  }};
  return all;
}

}  // namespace rooftile::measure
