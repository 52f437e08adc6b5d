// Bars that lie, one below the other, in groups with names.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

struct BarSeries {
  std::string name;  // in the legend; empty: not there
  std::string_view colour;
  std::vector<std::optional<double>> values = {};  // of each group; nothing: not known
};

struct BarChart {
  std::string title, caption = {};
  std::vector<std::string> groups;
  std::vector<BarSeries> series;  // bars of a group, or with `stacked` the parts of its one bar
  bool stacked = false;
  bool values_at_end = false;                // of a stacked bar: the sum of its parts
  std::optional<double> most = {};           // the end of the scale; none: the longest bar
  std::function<std::string(double)> label;  // of a value
};

std::string svg_bar_chart(const BarChart& chart);

}  // namespace rooftile
