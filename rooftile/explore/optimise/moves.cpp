#include "rooftile/explore/optimise/moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rooftile {
namespace {

constexpr double kFinestContinuous = 8;  // of 65536

double step_of(const SearchAxis& axis, int halvings) {
  return std::ldexp(axis.continuous() ? kFinestContinuous : 1.0, halvings);
}

}  // namespace

Moves::Moves(std::span<const SearchAxis> axes) : axes_(axes) {
  for (const SearchAxis& axis : axes) {
    int scale = 0;
    while (2 * step_of(axis, scale) < axis.last()) ++scale;
    scales_.push_back(scale);
    coarsest_ = std::max(coarsest_, scale);
  }
}

double Moves::moved(std::size_t axis, double coordinate, int scale, bool up) const {
  const double step = step_of(axes_[axis], std::max(0, scale - (coarsest_ - scales_[axis])));
  const double last = axes_[axis].last();
  const double target = coordinate + (up ? step : -step);
  if (target >= 0 && target <= last) return target;
  // A step that would leave the space ends at its border, unless a shorter one gets there too.
  const double border = up ? last : 0;
  const double way = std::abs(border - coordinate);
  return way > step / 2 ? border : std::numeric_limits<double>::quiet_NaN();
}

std::vector<SearchPoint> Moves::neighbours(const SearchPoint& point, int scale, int spread,
                                           RandomSource& random) const {
  std::vector<SearchPoint> result;
  const auto add = [&](std::size_t a, double at_a, std::size_t b, double at_b) {
    if (std::isnan(at_a) || std::isnan(at_b)) return;
    result.push_back(point);
    result.back()[a] = at_a;
    result.back()[b] = at_b;
  };
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    for (const bool up : {false, true}) {
      const double at_a = moved(a, point[a], scale, up);
      add(a, at_a, a, at_a);
      for (std::size_t b = 0; b < axes_.size(); ++b) {
        if (b == a) continue;
        for (int other = std::max(0, scale - spread); other <= scale; ++other) {
          if (other == scale && b < a) continue;  // the same two steps, the other way round
          for (const bool up_b : {false, true}) add(a, at_a, b, moved(b, point[b], other, up_b));
        }
      }
    }
  }
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random.index(i)]);
  return result;
}

}  // namespace rooftile
