#include "rooftile/plan/narrow_loads.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/gpu/generation.hpp"

namespace rooftile {

namespace {

// Multiply-accumulates of an SM in a clock that loads of a width keep up with.
struct NarrowRate {
  double pairs, single;
};

NarrowRate narrow_rate(const Gpu& gpu) {
  return generation::is_for_data_centers(gpu.generation) ? NarrowRate{600, 350} : NarrowRate{365, 107};
}

}  // namespace

double narrow_load_share(std::initializer_list<double> contiguous, Bytes element, const Gpu& gpu) {
  constexpr Bytes kHalf(2);
  if (gpu.vendor != "nvidia" || gpu.generation < generation::kAmpere || element != kHalf) return 1;
  const auto all_divide_by = [&](double width) {
    return std::all_of(contiguous.begin(), contiguous.end(),
                       [&](double length) { return length == 1 || std::fmod(length, width) == 0; });
  };
  if (all_divide_by(8)) return 1;
  const NarrowRate rate = narrow_rate(gpu);
  const double macs = gpu.peak(Peak::tensor_fp16).value() / gpu.clock.value() / (2 * gpu.sm_count);
  return std::min(1.0, (all_divide_by(2) ? rate.pairs : rate.single) / macs);
}

}  // namespace rooftile
