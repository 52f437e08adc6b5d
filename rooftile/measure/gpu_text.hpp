// The GPU file (docs/gpus.md) that a device's own attributes and the microbenchmarks make.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/device.hpp"
#include "rooftile/measure/point.hpp"

namespace rooftile::measure {

struct GpuTextOptions {
  std::string id;       // of the file; empty: gpu_id() of the device's name
  std::string version;  // of rooftile-measure
};

// What each number is read off from, and how, is in docs/measuring.md. What was not measured is left to the
// architecture's file. Where the catalogue has a GPU of this id, its price, power, links and base clock are taken over
// with their sources. The text has been read back: an error says what a GPU file needs and neither the points nor the
// architecture give.
Result<std::string> gpu_toml(const Device& device, const std::vector<Point>& points, const GpuTextOptions& options);

}  // namespace rooftile::measure
