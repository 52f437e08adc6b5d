// A table or figure of the evaluation as data: rows of cells and plotted series, before any file format.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rooftile {

struct FigureTable {
  std::string file = {};  // without suffix
  std::string what = {};  // one line for the index
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};

struct PlotAxis {
  enum class Unit { number, percent, seconds, bytes };
  std::string title = {};
  bool logarithmic = false;
  Unit unit = Unit::number;                                 // of the values; percent: of fractions
  std::vector<std::pair<double, std::string>> ticks = {};   // named places, without grid lines; empty: round numbers
  bool upright = false;                                     // their names stand on end: there are many
  std::vector<std::pair<double, std::string>> groups = {};  // names of stretches, below those of places
  std::optional<std::pair<double, double>> range = {};      // else what the values need
};

struct PlotSeries {
  std::string name = {};  // in the legend
  std::vector<std::pair<double, double>> points = {};
  bool line = false;
  std::size_t colour = 0;  // series of one plot with equal numbers have one colour
  std::string limit = {};  // or the colour of what limits its points: a Bottleneck's name
  bool dashed = false;     // of a line
};

struct Plot {
  std::string file = {};  // without suffix
  std::string what = {};  // one line for the index and the title
  std::string caption = {};
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  std::vector<double> separators;             // dashed lines across, at these x
  std::optional<double> level;                // a line along, at this y
  std::map<double, std::string> places = {};  // the whole names of places along x, for who points at a mark
  double width = 900, height = 360;
};

// Everything that one name of the evaluation stands for.
struct Figure {
  std::vector<FigureTable> tables;
  std::vector<Plot> plots;
};

// Six significant digits; nothing for what is no number.
std::string cell(double number);
// A whole number of bytes; nothing for what is no number.
std::string whole_cell(double number);

}  // namespace rooftile
