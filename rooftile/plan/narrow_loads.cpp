#include "rooftile/plan/narrow_loads.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rooftile {

double narrow_load_share(std::initializer_list<double> contiguous, Bytes element, const Gpu& gpu) {
  constexpr Bytes kHalf(2);
  if (element != kHalf) return 1;
  const auto all_divide_by = [&](std::int64_t width) {
    return std::all_of(contiguous.begin(), contiguous.end(),
                       [&](double length) { return length == 1 || static_cast<std::int64_t>(length) % width == 0; });
  };
  if (all_divide_by(8)) return 1;
  const std::optional<double> kept_up = all_divide_by(2) ? gpu.sm.pair_load_macs : gpu.sm.single_load_macs;
  if (!kept_up) return 1;
  const double macs = gpu.peak(Peak::tensor_fp16).value() / gpu.clock.value() / (2 * gpu.sm_count);
  return std::min(1.0, *kept_up / macs);
}

}  // namespace rooftile
