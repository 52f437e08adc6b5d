// What a profiler recorded of one kernel: its launch and its counters, whichever tool wrote them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/profile/metric_set.hpp"

namespace rooftile::profile {

struct KernelProfile {
  std::size_t line = 0;  // of the file, or the index of the record: where it stands
  std::string name;
  std::string compute_capability;  // of the GPU, "8.9"; empty: the file does not say
  double launches = 1;             // time and metrics are the means of so many launches
  std::optional<Seconds> time;     // of one launch; above zero
  std::optional<Seconds> start;    // on the file's own clock
  std::optional<std::array<std::int64_t, 3>> grid{};
  std::optional<std::array<std::int64_t, 3>> block{};
  std::string op{};                                       // of the framework that launched it: "aten::conv2d"
  std::vector<std::vector<std::int64_t>> input_shapes{};  // of that op; an empty list for what is no tensor
  // The tool's own metric names, values in base units (bytes, seconds, hertz; percentages as such).
  MetricSet metrics;

  // The metric of that name, if the profile has it.
  std::optional<double> metric(std::string_view metric_name) const { return metrics.find(metric_name); }
};

}  // namespace rooftile::profile
