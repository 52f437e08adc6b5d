#include "rooftile/explore/optimise/search_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rooftile {
namespace {

// Coordinates of a continuous range: a power of two, which steps halve exactly.
constexpr double kContinuousLast = 65536;

}  // namespace

SearchAxis SearchAxis::list(std::vector<double> values) {
  SearchAxis axis;
  std::sort(values.begin(), values.end());
  axis.values_ = std::move(values);
  return axis;
}

SearchAxis SearchAxis::whole_range(double low, double high) {
  SearchAxis axis;
  axis.kind_ = Kind::whole;
  axis.values_ = {low, high};
  return axis;
}

SearchAxis SearchAxis::range(double low, double high, bool geometric) {
  SearchAxis axis;
  axis.kind_ = Kind::continuous;
  axis.geometric_ = geometric;
  axis.values_ = {low, high};
  return axis;
}

double SearchAxis::last() const {
  switch (kind_) {
    case Kind::list:
      return static_cast<double>(values_.size() - 1);
    case Kind::whole:
      return values_[1] - values_[0];
    case Kind::continuous:
      break;
  }
  return kContinuousLast;
}

double SearchAxis::values() const { return continuous() ? std::numeric_limits<double>::infinity() : last() + 1; }

double SearchAxis::value(double coordinate) const {
  if (kind_ == Kind::list) return values_[static_cast<std::size_t>(coordinate)];
  if (kind_ == Kind::whole) return values_[0] + coordinate;
  const double low = values_[0], high = values_[1], place = coordinate / kContinuousLast;
  if (coordinate == kContinuousLast) return high;
  return geometric_ ? low * std::pow(high / low, place) : low + (high - low) * place;
}

double SearchAxis::coordinate(double value) const {
  const double inside = std::clamp(value, values_.front(), values_.back());
  if (kind_ == Kind::whole) return std::round(inside - values_[0]);
  if (kind_ == Kind::continuous) {
    const double low = values_[0], high = values_[1];
    const double place = geometric_ ? std::log(inside / low) / std::log(high / low) : (inside - low) / (high - low);
    return std::clamp(place, 0.0, 1.0) * kContinuousLast;
  }
  const auto above = std::lower_bound(values_.begin(), values_.end(), inside);
  const auto index = static_cast<double>(above - values_.begin());
  return above != values_.begin() && inside - *(above - 1) < *above - inside ? index - 1 : index;
}

double SearchAxis::nearest(double coordinate) const {
  const double inside = std::clamp(coordinate, 0.0, last());
  return continuous() ? inside : std::round(inside);
}

double SearchAxis::at_place(double place) const {
  if (continuous()) return nearest(place * last());
  return std::min(std::floor(place * (last() + 1)), last());
}

}  // namespace rooftile
