// Axes of charts: where a value stands, and which values are named.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

enum class Scale { linear, logarithmic };

struct Tick {
  double value = 0;
  std::string label;  // empty: a small mark without a name
};

struct Axis {
  std::string title;  // with its unit
  Scale scale = Scale::linear;
  double low = 0, high = 1;                       // low < high; both positive if logarithmic
  std::function<std::string(double)> label = {};  // of a value; default: the number
  std::vector<Tick> fixed = {};                   // names of places, instead of round numbers; without grid lines
  bool time = false;                              // seconds: round in seconds, minutes, hours or days
  bool upright = false;                           // names along x stand on end: there are many
  std::vector<Tick> groups = {};                  // names of stretches of x, below those of places
};

// "SM count" of "sm_count", "manufacturing cost" of "manufacturing_cost".
std::string axis_title(std::string_view name);

// Where `value` stands between the ends: 0 at `low`, 1 at `high`.
double place_on(const Axis& axis, double value);

// Marks between the ends, in order: round numbers, about `wanted` of them with a label. A logarithmic axis names powers
// of ten, and 2 and 5 times them where there is room, with small marks between them; it names more where these would
// not be two.
std::vector<Tick> ticks_of(const Axis& axis, int wanted);

// An axis wide enough for the values: a logarithmic one ends a little beyond them, a linear one that starts at zero at
// a round number. Values that the scale cannot hold are left out; without any, 1 to 10 or 0 to 1.
void fit_to(Axis& axis, const std::vector<double>& values);

// `value` as its axis writes it.
std::string value_label(const Axis& axis, double value);

// 0.00001 s as "10 us", 2000000 bytes as "2 MB" (powers of 1000).
std::string time_label(double seconds);
std::string bytes_label(double bytes);

}  // namespace rooftile
