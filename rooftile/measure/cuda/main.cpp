#include <fmt/format.h>

#include "rooftile/measure/cuda/device_query.hpp"

int main() {
  const auto device = rooftile::measure::use_device(0);
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().text());
    return 1;
  }
  fmt::print("{}\n", device->name);
}
