// The GPU as what measures layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/device.hpp"
#include "rooftile/measure/layer_runner.hpp"
#include "rooftile/measure/point.hpp"

namespace rooftile::measure {

struct RunnerOptions {
  int repeats = 15;
  double least_seconds = 2e-3;  // of one repeat
  bool warm = false;            // one set of operands, so that the L2 keeps what fits
  std::size_t workspace_limit = std::size_t{1} << 30;
  std::uint64_t seed = 1;
  bool kernels = true;  // ask CUPTI which kernels ran
  // Called with a line where something is not to be had: a library, CUPTI without permission.
  std::function<void(std::string_view)> note = {};
};

// A runner on the device in use. A library that does not open switches off what it runs, with a note. Errors: the GPU
// is lost.
Result<std::unique_ptr<LayerRunner>> make_layer_runner(const Device& device, const RunnerOptions& options);

// The rate of a large matrix product by cuBLASLt in each type that the GPU has: "rate", "library_TYPE", FLOP/s. Types
// that it does not have, or computes wrongly, are left out.
Outcome<std::vector<Point>> library_rates(const Device& device);

}  // namespace rooftile::measure
