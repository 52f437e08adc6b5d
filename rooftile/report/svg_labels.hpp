// Places for the names of points: beside their point, over no other name, no point and no line that matters.
#pragma once

#include <optional>
#include <vector>

namespace rooftile {

struct LabelBox {
  double x = 0, y = 0, width = 0, height = 0;  // left, top, in pixels
};

class LabelPlacer {
 public:
  // Labels stay within `area`.
  explicit LabelPlacer(LabelBox area) : area_(area) {}

  // Nothing that is placed later covers it.
  void occupy(LabelBox box) { taken_.push_back(box); }

  // Names beside points keep off the line between two places; take() does not, for names of lines stand on them.
  void occupy_line(double x1, double y1, double x2, double y2) { lines_.push_back({x1, y1, x2, y2}); }

  // Where a label of that size goes whose point is at (x, y), which is then taken; nothing where it has no room.
  std::optional<LabelBox> place(double x, double y, double width, double height);

  // Takes the box if it is free.
  bool take(LabelBox box);

 private:
  struct Line {
    double x1, y1, x2, y2;
  };
  static bool crosses(const Line& line, const LabelBox& box);

  LabelBox area_;
  std::vector<LabelBox> taken_;
  std::vector<Line> lines_;
};

}  // namespace rooftile
