#include "rooftile/roofline/time_point.hpp"

#include <algorithm>
#include <limits>

namespace rooftile::roofline {
namespace {

double intensity_of(Flops flops, Bytes bytes) {
  if (flops <= Flops(0)) return 0;
  if (bytes <= Bytes(0)) return std::numeric_limits<double>::infinity();
  return flops.value() / bytes.value();
}

}  // namespace

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::bandwidth:
      return "bandwidth";
    case Bound::launch:
      return "launch";
  }
  return "";
}

std::optional<Peak> roof_peak(const Kernel& kernel, const Roof& roof, std::optional<Peak> forced) {
  for (const Peak peak : {forced.value_or(kernel.unit), Peak::fp32}) {
    if (roof.peak(peak) > FlopsPerSecond(0)) return peak;
    if (forced) break;
  }
  return std::nullopt;
}

std::optional<TimePoint> analyse(const Kernel& kernel, const Roof& roof, std::size_t level,
                                 std::optional<Peak> forced) {
  const auto peak = roof_peak(kernel, roof, forced);
  if (!peak || !kernel.flops_known || level >= kernel.bytes.size() || !kernel.bytes[level]) return std::nullopt;
  const Flops flops = kernel.total_flops();
  const Bytes bytes = *kernel.bytes[level];
  TimePoint point;
  point.peak = *peak;
  point.intensity = intensity_of(flops, bytes);
  point.balance = balance(roof, *peak, level);
  point.ideal_compute = flops / roof.peak(*peak);
  point.ideal_bandwidth = bytes / roof.levels[level].bandwidth;
  point.overhead = roof.launch_overhead * kernel.launches;
  point.achievable = std::max({point.ideal_compute, point.ideal_bandwidth, point.overhead});
  const bool above = point.intensity > point.balance;
  const Seconds work = std::max(point.ideal_compute, point.ideal_bandwidth);
  point.bound = work <= point.overhead ? Bound::launch : (above ? Bound::compute : Bound::bandwidth);
  point.compute_time = above ? kernel.time : kernel.time * (point.intensity / point.balance);
  point.bandwidth_time = above ? kernel.time * (point.balance / point.intensity) : kernel.time;
  if (point.achievable > Seconds(0)) point.inefficiency = kernel.time / point.achievable;
  return point;
}

}  // namespace rooftile::roofline
