#include "rooftile/simulate/random_layer.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): the same numbers everywhere, unlike the standard library's distributions.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t index) : state_(seed * 0xD1342543DE82EF95ULL + index + 1) {}

  double real() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    z ^= z >> 31U;
    constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(z >> 11U) * kScale;
  }
  std::int64_t between(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(real() * static_cast<double>(to - from + 1));
  }
  // Each factor of two as likely as any other; half of the numbers multiples of 8, as channels mostly are.
  std::int64_t size(double from, double to) {
    const double drawn = from * std::pow(to / from, real());
    constexpr double kEight = 8;
    const bool round = real() < 0.5 && drawn > kEight;
    return static_cast<std::int64_t>(round ? kEight * std::round(drawn / kEight) : std::round(drawn));
  }
  bool chance(double share) { return real() < share; }

 private:
  std::uint64_t state_;
};

ConvAxis random_axis(Random& random, double most) {
  ConvAxis axis;
  constexpr std::int64_t kFilters[] = {1, 1, 2, 3, 3, 3, 5, 7};
  axis.filter = kFilters[random.between(0, 7)];
  axis.stride = random.chance(0.6) ? 1 : random.between(2, 3);
  axis.dilation = axis.filter == 1 || random.chance(0.8) ? 1 : random.between(2, 3);
  const std::int64_t reach = (axis.filter - 1) * axis.dilation;
  if (random.chance(0.7)) {
    axis.pad_begin = reach / 2;
    axis.pad_end = reach - axis.pad_begin;
  } else {
    axis.pad_begin = random.between(0, reach);
    axis.pad_end = random.between(0, reach);
  }
  axis.in = std::max(random.size(4, most), filter_extent(axis));
  return axis;
}

Conv draw(Random& random) {
  Conv conv;
  conv.batch = random.size(1, 256);
  conv.groups = random.chance(0.8) ? 1 : std::int64_t{1} << random.between(1, 3);
  conv.in_channels = conv.groups * std::max<std::int64_t>(2, random.size(3, 1024) / conv.groups);
  conv.out_channels = conv.groups * std::max<std::int64_t>(1, random.size(8, 1024) / conv.groups);
  const double axes = random.real();
  constexpr std::size_t kHeight = 1, kWidth = 2;
  if (axes < 0.1) {
    conv.axes[kWidth] = random_axis(random, 4096);
    return conv;
  }
  if (axes < 0.2) conv.axes[0] = random_axis(random, 16);
  conv.axes[kHeight] = random_axis(random, 256);
  conv.axes[kWidth] = random.chance(0.5) ? random_axis(random, 256) : conv.axes[kHeight];
  if (random.chance(0.25)) {  // pointwise, the commonest filter of all
    for (ConvAxis& axis : conv.axes) {
      const std::int64_t in = axis.in, stride = axis.stride;
      axis = {};
      axis.in = in;
      axis.stride = random.chance(0.7) ? 1 : stride;
    }
  }
  return conv;
}

}  // namespace

Conv random_layer(std::uint64_t seed, std::uint64_t index) {
  constexpr double kLeast = 4194304.0, kMost = 34359738368.0;  // 2^22, 2^35
  Random random(seed, index << 32U);
  while (true) {
    const Conv conv = draw(random);
    if (check(conv) && macs(conv) >= kLeast && macs(conv) <= kMost) return conv;
  }
}

}  // namespace rooftile
