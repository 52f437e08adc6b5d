// Any text as what a measurement campaign left in its folder, a description of the GPU and points of curves: an error,
// or what is read again as it was written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line_error.hpp"
#include "require.hpp"

#include "rooftile/measure/device.hpp"
#include "rooftile/measure/point.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = measure::parse_device(text, "device.toml");
  if (device) {
    require(!device->name.empty() && is_positive(device->sm_count) && is_positive(device->clock.value()));
    require(measure::parse_device(measure::write_device(*device), "device.toml").has_value());
  } else {
    require(is_one_line_error(device.error()));
  }
  const auto points = measure::parse_points(text, "microbench.csv");
  if (!points) {
    require(is_one_line_error(points.error()));
    return 0;
  }
  std::string written = measure::point_header();
  for (const measure::Point& point : *points) written += measure::write_point(point);
  const auto again = measure::parse_points(written, "microbench.csv");
  require(again.has_value() && again->size() == points->size());
  return 0;
}
