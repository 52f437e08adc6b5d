#include "rooftile/measure/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "rooftile/base/quantile.hpp"

namespace rooftile::measure {

Curve curve_of(const std::vector<Point>& points, std::string_view benchmark, std::string_view variant) {
  std::map<double, double> values;
  for (const Point& point : points) {
    if (point.benchmark == benchmark && point.variant == variant) values[point.parameter] = point.value.median;
  }
  Curve curve;
  for (const auto& [x, y] : values) curve.push_back({x, y});
  return curve;
}

std::optional<double> plateau(const Curve& curve, double low, double high) {
  std::vector<double> values;
  for (const CurvePoint& point : curve) {
    if (point.x >= low && point.x <= high) values.push_back(point.y);
  }
  if (values.empty()) return std::nullopt;
  return quantile(std::move(values), 0.5);
}

std::optional<double> knee(const Curve& curve, double from, double to) {
  const double middle = (from + to) / 2;
  const auto beyond = [&](std::size_t i) { return to > from ? curve[i].y > middle : curve[i].y < middle; };
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const bool stays = i + 1 == curve.size() || beyond(i + 1);
    if (!beyond(i) || !stays) continue;
    if (i == 0) return std::nullopt;
    const CurvePoint &before = curve[i - 1], &after = curve[i];
    // The point before may be an outlier beyond the middle itself; then there is nothing to interpolate.
    if (beyond(i - 1) || before.x <= 0) return after.x;
    const double share = (middle - before.y) / (after.y - before.y);
    return std::exp(std::lerp(std::log(before.x), std::log(after.x), share));
  }
  return std::nullopt;
}

std::optional<double> top(const Curve& curve) {
  constexpr std::size_t kNeighbours = 3;
  std::optional<double> best;
  for (std::size_t first = 0; first == 0 || first + kNeighbours <= curve.size(); ++first) {
    std::vector<double> values;
    for (std::size_t i = first; i < std::min(first + kNeighbours, curve.size()); ++i) values.push_back(curve[i].y);
    if (values.empty()) return std::nullopt;
    best = std::max(best.value_or(0), quantile(std::move(values), 0.5));
  }
  return best;
}

}  // namespace rooftile::measure
