// A curve over working sets: its plateaus, and the knees between them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rooftile/measure/point.hpp"

namespace rooftile::measure {

struct CurvePoint {
  double x = 0, y = 0;

  bool operator==(const CurvePoint&) const = default;
};

// By rising x; of two points at one x the later one counts.
using Curve = std::vector<CurvePoint>;

// The points of one benchmark and variant: parameter and median.
Curve curve_of(const std::vector<Point>& points, std::string_view benchmark, std::string_view variant);

// The median of y over low <= x <= high; nothing where no point lies there.
std::optional<double> plateau(const Curve& curve, double low, double high);

// Where the curve leaves the level `from` for the level `to`: the first x at which it passes the middle of the two and
// stays beyond it for the next point as well, so that one outlier is no knee; interpolated in log(x). Nothing where it
// never does, or where it begins beyond the middle.
std::optional<double> knee(const Curve& curve, double from, double to);

// The highest median of three neighbours: the top of a curve, whatever one outlier says. Of fewer points, the median.
std::optional<double> top(const Curve& curve);

}  // namespace rooftile::measure
