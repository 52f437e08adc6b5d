// What a profiler recorded of one kernel: its launch and its counters, whichever tool wrote them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/units/units.hpp"

namespace rooftile::profile {

struct KernelProfile {
  std::size_t line = 0;  // of the file, or the index of the record: where it stands
  std::string name;
  std::optional<Seconds> time;
  std::optional<std::array<std::int64_t, 3>> grid;
  std::optional<std::array<std::int64_t, 3>> block;
  // The tool's own metric names, values in base units (bytes, seconds, hertz; percentages as such).
  std::map<std::string, double, std::less<>> metrics;

  // The metric of that name, if the profile has it.
  std::optional<double> metric(std::string_view metric_name) const;
};

}  // namespace rooftile::profile
