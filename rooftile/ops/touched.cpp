#include "rooftile/ops/touched.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace rooftile {
namespace {

// Sum over i in [0, n) of floor((a i + b) / m), for a, b >= 0: Euclid's algorithm on the line's slope.
std::int64_t floor_sum(std::int64_t n, std::int64_t m, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  while (n > 0) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    const std::int64_t top = a * n + b;
    n = top / m;
    b = top % m;
    std::swap(a, m);
  }
  return sum;
}

// Pairs i, r >= 0 with i stride + r dilation < limit.
std::int64_t pairs_below(std::int64_t limit, std::int64_t stride, std::int64_t dilation) {
  if (limit <= 0) return 0;
  const std::int64_t rows = (limit - 1) / dilation + 1;
  const std::int64_t last = limit - (rows - 1) * dilation;  // what is left of the limit in the last row
  return floor_sum(rows, stride, dilation, last + stride - 1);
}

// The windows of one axis. Tap r of output i touches position i stride + r dilation, counted from the start of the
// padding. Two pairs (i, r) touch the same position if they differ by a multiple of (spread, -step), so each position
// is counted once by its pair that has no neighbour (i - spread, r + step): either i < spread or r >= filter - step.
struct Windows {
  std::int64_t outputs, filter, stride, dilation;
  std::int64_t step, spread;

  // Pairs of a block of `is` outputs and `rs` taps that touch a position below the limit.
  std::int64_t block_below(std::int64_t is, std::int64_t rs, std::int64_t limit) const {
    return pairs_below(limit, stride, dilation) - pairs_below(limit - is * stride, stride, dilation) -
           pairs_below(limit - rs * dilation, stride, dilation) +
           pairs_below(limit - is * stride - rs * dilation, stride, dilation);
  }

  // Distinct positions below the limit. The set is symmetric, so this also counts those at the far end.
  std::int64_t below(std::int64_t limit) const {
    if (limit <= 0) return 0;
    const std::int64_t early_taps = std::max<std::int64_t>(filter - step, 0);
    return block_below(std::min(spread, outputs), early_taps, limit) +
           block_below(outputs, filter - early_taps, limit - early_taps * dilation);
  }

  double all() const {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    return real(outputs) * real(filter) -
           real(std::max<std::int64_t>(outputs - spread, 0)) * real(std::max<std::int64_t>(filter - step, 0));
  }
};

}  // namespace

double touched_positions(const ConvAxis& axis, std::int64_t outputs) {
  const std::int64_t span = (outputs - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1;
  const std::int64_t past_end = span - axis.pad_begin - axis.in;
  if (axis.dilation == 1 && axis.stride <= axis.filter) {  // no gaps: the usual case
    const std::int64_t before = std::max<std::int64_t>(axis.pad_begin, 0);
    return static_cast<double>(std::max<std::int64_t>(span - before - std::max<std::int64_t>(past_end, 0), 0));
  }
  const std::int64_t common = std::gcd(axis.stride, axis.dilation);
  const Windows windows = {outputs,       axis.filter,          axis.stride,
                           axis.dilation, axis.stride / common, axis.dilation / common};
  return windows.all() - static_cast<double>(windows.below(axis.pad_begin) + windows.below(past_end));
}

}  // namespace rooftile
