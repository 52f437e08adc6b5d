#include "rooftile/roofline/view.hpp"

namespace rooftile::roofline {

Seconds total_time(const View& view, Origin origin) {
  Seconds time;
  for (const Kernel& kernel : view.kernels) {
    if (kernel.origin == origin) time += kernel.time;
  }
  return time;
}

std::optional<TimePoint> point_of(const View& view, const Kernel& kernel) { return point_of(view, kernel, view.level); }

std::optional<TimePoint> point_of(const View& view, const Kernel& kernel, std::size_t level) {
  return analyse(kernel, view.roof, level, view.forced);
}

}  // namespace rooftile::roofline
