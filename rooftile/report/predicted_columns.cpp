#include "rooftile/report/predicted_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace rooftile {
namespace {

std::string microseconds(Seconds time) {
  constexpr double kMicro = 1e6;
  return fmt::format("{:.6g}", time.value() * kMicro);
}

}  // namespace

std::array<std::string, kPredictedColumns> predicted_cells(const LayerEstimate& layer) {
  const auto bytes = [](Bytes count) { return fmt::format("{:.0f}", count.value()); };
  return {microseconds(layer.time),
          layer.time_low ? microseconds(*layer.time_low) : "",
          layer.time_high ? microseconds(*layer.time_high) : "",
          std::string(name_of(layer.bottleneck)),
          std::string(name_of(layer.method)),
          bytes(layer.traffic.l1),
          bytes(layer.traffic.l2),
          bytes(layer.traffic.dram)};
}

std::vector<std::size_t> place_columns(std::vector<std::string>& header, std::span<const char* const> names) {
  std::vector<std::size_t> places;
  for (const char* name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    places.push_back(static_cast<std::size_t>(found - header.begin()));
    if (found == header.end()) header.emplace_back(name);
  }
  return places;
}

}  // namespace rooftile
