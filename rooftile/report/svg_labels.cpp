#include "rooftile/report/svg_labels.hpp"

#include <algorithm>
#include <array>

namespace rooftile {
namespace {

bool overlap(const LabelBox& a, const LabelBox& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool inside(const LabelBox& box, const LabelBox& area) {
  return box.x >= area.x && box.y >= area.y && box.x + box.width <= area.x + area.width &&
         box.y + box.height <= area.y + area.height;
}

// A side of the point: which part of the label's size, and which direction of the gap, lies between them.
struct Side {
  double width, height;
  double x, y;
};
constexpr std::array<Side, 8> kSides = {Side{0, -0.5, 1, 0},  Side{-1, -0.5, -1, 0}, Side{-0.5, -1, 0, -1},
                                        Side{-0.5, 0, 0, 1},  Side{0, -1, 1, -1},    Side{0, 0, 1, 1},
                                        Side{-1, -1, -1, -1}, Side{-1, 0, -1, 1}};
constexpr std::array<double, 3> kGaps = {6, 14, 26};  // pixels

}  // namespace

bool LabelPlacer::take(LabelBox box) {
  if (!inside(box, area_)) return false;
  for (const LabelBox& other : taken_) {
    if (overlap(box, other)) return false;
  }
  taken_.push_back(box);
  return true;
}

std::optional<LabelBox> LabelPlacer::place(double x, double y, double width, double height) {
  for (const double gap : kGaps) {
    for (const Side& side : kSides) {
      const LabelBox box = {x + side.width * width + side.x * gap, y + side.height * height + side.y * gap, width,
                            height};
      if (take(box)) return box;
    }
  }
  return std::nullopt;
}

}  // namespace rooftile
