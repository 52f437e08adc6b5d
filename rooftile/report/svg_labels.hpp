// Places for the names of points: beside their point, over no other name, no point and no line that matters.
#pragma once

#include <optional>
#include <vector>

namespace rooftile {

struct LabelBox {
  double x = 0, y = 0, width = 0, height = 0;  // left, top, in pixels
};

struct LabelLine {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// The thin line from a point to a name that stands away from it; nothing for one that does not.
std::optional<LabelLine> leader_of(double x, double y, const LabelBox& name);

class LabelPlacer {
 public:
  // Labels stay within `area`.
  explicit LabelPlacer(LabelBox area) : area_(area) {}

  // Nothing that is placed later covers it.
  void occupy(LabelBox box) { taken_.push_back(box); }

  // Names beside points keep off the line between two places; take() does not, for names of lines stand on them.
  void occupy_line(double x1, double y1, double x2, double y2) { lines_.push_back({x1, y1, x2, y2}); }

  // Where a label of that size goes whose point is at (x, y), which is then taken; nothing where it has no room. Its
  // leader crosses no other name.
  std::optional<LabelBox> place(double x, double y, double width, double height);

  // Takes the box if it is free.
  bool take(LabelBox box);

 private:
  LabelBox area_;
  std::vector<LabelBox> taken_, names_;
  std::vector<LabelLine> lines_;
};

}  // namespace rooftile
