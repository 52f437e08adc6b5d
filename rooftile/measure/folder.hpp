// The folder that a run of rooftile-measure fills:
//
//   device.toml      the GPU as it describes itself
//   microbench.csv   what the microbenchmarks found
//   gpu.toml         the GPU file that follows from both
//   layers/, skipped.csv   layers (campaign.hpp)
//   PROVENANCE.md    a line for each run
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/device.hpp"
#include "rooftile/measure/gpu_text.hpp"
#include "rooftile/measure/point.hpp"

namespace rooftile::measure {

// Makes the folder where it is missing and notes the device. Error: the folder holds measurements of another GPU.
Result<void> open_folder(const std::string& folder, const Device& device);

Result<Device> read_device(const std::string& folder);

// None where there is no file yet.
Result<std::vector<Point>> read_points(const std::string& folder);
Result<void> write_points(const std::string& folder, const std::vector<Point>& points);

// gpu.toml from device.toml and microbench.csv; the path of the file.
Result<std::string> write_gpu_file(const std::string& folder, const GpuTextOptions& options);

// Adds a line: date, device, software, and what was run.
Result<void> add_provenance(const std::string& folder, const Device& device, const std::string& version,
                            const std::string& command);

}  // namespace rooftile::measure
