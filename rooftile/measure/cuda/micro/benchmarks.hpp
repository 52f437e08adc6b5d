// One function a microbenchmark, each in its own source; micro.cpp lists them.
#pragma once

#include <vector>

#include "rooftile/measure/cuda/micro/micro.hpp"

namespace rooftile::measure {

Outcome<std::vector<Point>> run_latency(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_line_latency(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_sector(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_request(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_bandwidth(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_loaded_latency(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_rate(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_launch(const Device& device, const MicroOptions& options);
Outcome<std::vector<Point>> run_sustained(const Device& device, const MicroOptions& options);

}  // namespace rooftile::measure
