#include "rooftile/calibration/calibration.hpp"

namespace rooftile {
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
  for (const CalibrationEntry& entry : calibration.entries) {
    if (entry.family != family) continue;
    if (entry.scope == gpu.id) return {&entry, Match::gpu};
    if (entry.scope == gpu.architecture) found = {&entry, Match::architecture};
    if (entry.scope == kAnyGpu && found.entry == nullptr) found = {&entry, Match::foreign};
  }
  return found;
}

const Harness* find_harness(const Calibration& calibration, KernelFamily family, std::string_view framework,
                            std::string_view gpu) {
  const Harness* any = nullptr;
  for (const Harness& harness : calibration.harnesses) {
    if (harness.family != family || harness.framework != framework) continue;
    if (harness.gpu == gpu) return &harness;
    if (harness.gpu.empty()) any = &harness;
  }
  const std::size_t slash = framework.find('/');
  if (any != nullptr || slash == std::string_view::npos) return any;
  return find_harness(calibration, family, framework.substr(0, slash), gpu);
}

std::optional<Spread> find_spread(const Calibration& calibration, const FoundEntry& found, std::string_view vendor) {
  if (found.entry == nullptr) return std::nullopt;
  if (found.match != Match::foreign && found.entry->spread) return found.entry->spread;
  for (const ForeignSpread& foreign : calibration.foreign_spreads) {
    if (foreign.family == found.entry->family && foreign.vendor == vendor) return foreign.spread;
  }
  return std::nullopt;
}

}  // namespace rooftile
