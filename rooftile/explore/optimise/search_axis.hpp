// What an optimiser may vary: a variable with a list of values, the whole numbers of a range, or any value of a range.
//
// All are searched as coordinates from 0 to last(), upwards with the value: whole numbers count the values of a list or
// the whole numbers of a range, any number is a place in a continuous range.
#pragma once

#include <vector>

namespace rooftile {

class SearchAxis {
 public:
  // In any order, at least one.
  static SearchAxis list(std::vector<double> values);
  static SearchAxis whole_range(double low, double high);
  // Geometric: equal steps of the coordinate are equal ratios of the value.
  static SearchAxis range(double low, double high, bool geometric);

  bool continuous() const { return kind_ == Kind::continuous; }
  double last() const;  // the greatest coordinate
  double value(double coordinate) const;
  double coordinate(double value) const;    // whose value is nearest
  double nearest(double coordinate) const;  // that there is
  double at_place(double place) const;      // the coordinate at `place`, 0 to 1
  double values() const;                    // how many there are; infinite of a continuous one

 private:
  enum class Kind { list, whole, continuous };
  Kind kind_ = Kind::list;
  bool geometric_ = false;
  std::vector<double> values_;  // ascending; of a range its ends
};

// One coordinate a variable.
using SearchPoint = std::vector<double>;

}  // namespace rooftile
