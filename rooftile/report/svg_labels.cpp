#include "rooftile/report/svg_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

// Names that touch read as one, and coordinates are rounded when they are written.
constexpr double kApart = 1;  // pixel

bool meet(const LabelBox& a, const LabelBox& b) {
  return a.x < b.x + b.width + kApart && b.x < a.x + a.width + kApart && a.y < b.y + b.height + kApart &&
         b.y < a.y + a.height + kApart;
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
constexpr std::array<double, 4> kGaps = {6, 14, 26, 40};  // pixels

// Whether a part of the line is inside the box: what of it lies between the box's sides (Liang and Barsky, 1984).
bool crosses(const LabelLine& line, const LabelBox& box) {
  double from = 0, to = 1;  // along the line
  const auto clip = [&](double start, double step, double low, double high) {
    if (step == 0) return low <= start && start <= high;
    const double a = (low - start) / step, b = (high - start) / step;
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
    return from <= to;
  };
  return clip(line.x1, line.x2 - line.x1, box.x, box.x + box.width) &&
         clip(line.y1, line.y2 - line.y1, box.y, box.y + box.height);
}

}  // namespace

std::optional<LabelLine> leader_of(double x, double y, const LabelBox& name) {
  constexpr double kFar = 10, kFromPoint = 5;
  const double to_x = std::clamp(x, name.x, name.x + name.width), to_y = std::clamp(y, name.y, name.y + name.height);
  const double distance = std::hypot(to_x - x, to_y - y);
  if (distance < kFar) return std::nullopt;
  const double share = kFromPoint / distance;
  return LabelLine{x + share * (to_x - x), y + share * (to_y - y), to_x, to_y};
}

bool LabelPlacer::take(LabelBox box) {
  if (!inside(box, area_)) return false;
  for (const LabelBox& other : taken_) {
    if (meet(box, other)) return false;
  }
  taken_.push_back(box);
  names_.push_back(box);
  return true;
}

std::optional<LabelBox> LabelPlacer::place(double x, double y, double width, double height) {
  for (const double gap : kGaps) {
    for (const Side& side : kSides) {
      const LabelBox box = {x + side.width * width + side.x * gap, y + side.height * height + side.y * gap, width,
                            height};
      const auto leader = leader_of(x, y, box);
      const bool over_line =
          std::any_of(lines_.begin(), lines_.end(), [&](const LabelLine& line) { return crosses(line, box); });
      const bool over_name = leader && std::any_of(names_.begin(), names_.end(),
                                                   [&](const LabelBox& name) { return crosses(*leader, name); });
      if (over_line || over_name || !take(box)) continue;
      if (leader) lines_.push_back(*leader);
      return box;
    }
  }
  return std::nullopt;
}

}  // namespace rooftile
