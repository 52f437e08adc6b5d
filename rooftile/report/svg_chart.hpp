// A chart with two axes: points and lines in colours, with a legend to their right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/report/palette.hpp"
#include "rooftile/report/svg_axis.hpp"

namespace rooftile {

using ChartPoints = std::vector<std::pair<double, double>>;  // x, y in the units of the axes

// Different shapes tell points apart where colours do not.
enum class ChartShape { disc, square, triangle, diamond };

struct ChartSeries {
  // `segments` joins the first point with the second, the third with the fourth, and so on.
  enum class Mark { points, line, segments };
  std::string name;  // in the legend; empty: not there
  Mark mark = Mark::points;
  ChartPoints data;
  std::string_view colour = kText.light;
  std::string dashes = {};  // of a line, as in "6 3"; empty: solid
  double width = 1;         // of a line; of a point its diameter
  double opacity = 1;
  ChartShape shape = ChartShape::disc;  // of points
  bool open = false;                    // of points: an outline alone
  std::vector<std::string> names = {};  // of points, as many as there are; empty: each is called as the series
};

// The name of a place in the plot.
struct ChartLabel {
  double x = 0, y = 0;  // in the units of the axes
  std::string text;
  std::string_view colour = kText.light;
  // start, middle or end: the text stands at the place, which a line leads to. Empty: beside the place, which a point
  // marks.
  std::string anchor = {};
};

struct Chart {
  std::string title;
  std::string caption = {};  // small, below; broken into lines
  Axis x, y;
  std::vector<ChartSeries> series;           // drawn in this order
  std::vector<ChartLabel> labels = {};       // the first come first; those that find no room are left out
  std::optional<Axis> top = {}, right = {};  // second scales
  bool grid = true;                          // lines at the named values
  double plot_width = 520, plot_height = 520;
};

// Values that are outside an axis or that it cannot hold are not drawn. Whoever points at a mark reads its name and its
// values.
std::string svg_chart(const Chart& chart);

}  // namespace rooftile
