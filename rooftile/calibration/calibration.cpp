#include "rooftile/calibration/calibration.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace rooftile {
namespace {

// Architectures in the order in which they came; the constants of a neighbour stand in for those of one never measured.
constexpr std::array<std::string_view, 19> kOrder = {
    "Kepler GK110",  "Kepler GK210", "Maxwell GM20x", "Pascal GP10x",    "Pascal GP100",
    "Volta",         "Turing",       "Ampere GA10x",  "Ampere GA100",    "Ada",
    "Hopper",        "Blackwell",    "Blackwell RTX", "Blackwell Ultra", "GCN 5 Vega 10",
    "GCN 5 Vega 20", "CDNA 1",       "CDNA 2",        "CDNA 3"};

std::ptrdiff_t position(std::string_view architecture) {
  return std::find(kOrder.begin(), kOrder.end(), architecture) - kOrder.begin();
}

}  // namespace

std::string_view name_of(TileChoice choice) {
  switch (choice) {
    case TileChoice::least_time:
      return "least_time";
    case TileChoice::by_channels:
      return "by_channels";
  }
  return "";
}

FoundEntry find_entry(const Calibration& calibration, KernelFamily family, const Gpu& gpu) {
  FoundEntry found;
  std::ptrdiff_t least = 0;
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family != family) continue;
    if (entry.scope == gpu.id) return {&entry, Match::gpu};
    if (entry.scope == gpu.architecture) {
      found = {&entry, Match::architecture};
    } else if (found.match == Match::foreign && position(entry.scope) < std::ssize(kOrder)) {
      const std::ptrdiff_t distance = std::abs(position(entry.scope) - position(gpu.architecture));
      if (found.entry != nullptr && distance >= least) continue;
      found.entry = &entry;
      least = distance;
    }
  }
  return found;
}

std::optional<Seconds> find_overhead(const Calibration& calibration, std::string_view framework, std::string_view gpu) {
  std::optional<Seconds> any;
  for (const Overhead& overhead : calibration.overheads) {
    if (overhead.framework != framework) continue;
    if (overhead.gpu == gpu) return overhead.time;
    if (overhead.gpu.empty()) any = overhead.time;
  }
  return any;
}

std::optional<Spread> find_spread(const Calibration& calibration, const FoundEntry& found) {
  if (found.entry == nullptr) return std::nullopt;
  if (found.match != Match::foreign && found.entry->spread) return found.entry->spread;
  for (const auto& [family, spread] : calibration.foreign_spreads) {
    if (family == found.entry->family) return spread;
  }
  return std::nullopt;
}

}  // namespace rooftile
