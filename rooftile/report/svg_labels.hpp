// Places for the names of points: beside their point, over no other name and over no point.
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

  // Where a label of that size goes whose point is at (x, y), which is then taken; nothing where it has no room.
  std::optional<LabelBox> place(double x, double y, double width, double height);

  // Takes the box if it is free.
  bool take(LabelBox box);

 private:
  LabelBox area_;
  std::vector<LabelBox> taken_;
};

}  // namespace rooftile
