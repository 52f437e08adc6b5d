#include "rooftile/roofline/roof.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace rooftile::roofline {
namespace {

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

bool is_ceiling(const Fact& fact) {
  const std::string_view key = fact.key;
  return key.starts_with("peak.") || (key.starts_with("level.") && key.ends_with(".bandwidth")) ||
         key == "launch.overhead";
}

std::optional<std::size_t> Roof::level(std::string_view level_name) const {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (equal_in_any_case(levels[i].name, level_name)) return i;
  }
  return std::nullopt;
}

Roof roof_of(const Gpu& gpu) {
  Roof roof;
  roof.name = gpu.name;
  for (const MemoryLevel& level : gpu.levels) {
    roof.levels.push_back({level.name, level.bandwidth * (level.per_sm ? gpu.sm_count : 1)});
  }
  roof.peaks = gpu.peaks;
  roof.launch_overhead = gpu.launch_overhead;
  std::copy_if(gpu.facts.begin(), gpu.facts.end(), std::back_inserter(roof.sources), is_ceiling);
  return roof;
}

double balance(const Roof& roof, Peak peak, std::size_t level) {
  return roof.peak(peak).value() / roof.levels[level].bandwidth.value();
}

}  // namespace rooftile::roofline
