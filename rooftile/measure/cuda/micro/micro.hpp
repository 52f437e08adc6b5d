// The microbenchmarks: what a GPU's memory levels, arithmetic units and launches reach. What each yields stands in
// rooftile/measure/point.hpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "rooftile/measure/device.hpp"
#include "rooftile/measure/point.hpp"
#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

struct MicroOptions {
  int repeats = 11;
  bool quick = false;                           // fewer sizes, shorter loads
  std::function<bool()> stop;                   // true: return what there is; may be empty
  std::function<void(const Refused&)> refused;  // told of each part that fails while the rest goes on; may be empty
};

struct MicroBenchmark {
  std::string_view name;  // as Point::benchmark
  std::string_view description;
  // Runs on the GPU that the process uses. The parts that could be measured; a refusal where none could.
  Outcome<std::vector<Point>> (*run)(const Device& device, const MicroOptions& options) = nullptr;
};

// In an order that makes sense to run them in: the long load last.
std::span<const MicroBenchmark> microbenchmarks();

}  // namespace rooftile::measure
