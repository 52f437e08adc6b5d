// The numbers of a GPU file that are read off the microbenchmarks.
#pragma once

#include <string>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/measure/device.hpp"
#include "rooftile/measure/point.hpp"

namespace rooftile::measure {

struct MeasuredFact {
  std::string key;    // "level.L2.bandwidth"
  double number = 0;  // in base units
  FactKind kind = FactKind::measured;
  std::string source;
  std::string note;  // how it was read off, and what else was seen; may be empty
};

// Whatever the points and the device tell; what they do not is left out.
std::vector<MeasuredFact> gpu_facts(const Device& device, const std::vector<Point>& points, const std::string& version);

}  // namespace rooftile::measure
