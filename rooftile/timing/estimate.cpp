#include "rooftile/timing/estimate.hpp"

#include <algorithm>

namespace rooftile {

std::string_view name_of(Bottleneck bottleneck) {
  constexpr std::array<std::string_view, kBottlenecks + 1> kNames = {"compute", "smem",  "latency", "l1",  "l2",
                                                                     "dram",    "power", "launch",  "link"};
  return kNames[static_cast<std::size_t>(bottleneck)];
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::delta:
      return "delta";
    case Method::rooftile:
      return "rooftile";
    case Method::roofline:
      return "roofline";
    case Method::prior:
      return "prior";
    case Method::stream:
      return "stream";
    case Method::none:
      return "none";
  }
  return "";
}

Bottleneck largest(const TimeBounds& cases) {
  return static_cast<Bottleneck>(std::max_element(cases.by.begin(), cases.by.end()) - cases.by.begin());
}

}  // namespace rooftile
