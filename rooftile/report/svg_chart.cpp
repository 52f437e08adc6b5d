#include "rooftile/report/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "rooftile/report/svg.hpp"
#include "rooftile/report/svg_labels.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kTextSize = 12, kTitleSize = 14, kCaptionSize = 11, kCaptionLine = 15;
constexpr double kCharacter = 0.6;  // width of one over its size, on the wide side, so that nothing is cut off
constexpr double kLeast = 92, kTopRoom = 40, kBottomRoom = 62, kRight = 24;
constexpr double kLegendGap = 20, kSwatch = 26, kLegendLine = 20;
constexpr double kTick = 6, kSmallTick = 3;
constexpr double kTopAxis = 44, kRightAxis = 86;  // room that a second scale takes
constexpr double kLabelSize = 11, kBetweenLabels = 4;
constexpr std::size_t kLongestTitle = 100;

double text_width(std::string_view text, double size) {
  return kCharacter * size * static_cast<double>(width_of(text));
}

int labels_along_y(const Chart& chart) {
  constexpr double kLineRoom = 45;
  return static_cast<int>(chart.plot_height / kLineRoom);
}

// Room for the names of values along y, and the axis's title beside them.
double left_of(const Chart& chart) {
  constexpr double kTitle = 38;
  double widest = 0;
  for (const Tick& tick : ticks_of(chart.y, labels_along_y(chart))) {
    widest = std::max(widest, text_width(tick.label, kTextSize));
  }
  return std::max(kLeast, widest + kTitle);
}

constexpr double kUprightSize = 9;
constexpr double kGroupLine = 18;

// Room below the plot: for the names of values along x, those of stretches, and the axis's title.
double below(const Axis& x) {
  double room = kBottomRoom + (x.groups.empty() ? 0 : kGroupLine);
  if (!x.upright) return room;
  double longest = 0;
  for (const Tick& tick : x.fixed) longest = std::max(longest, text_width(tick.label, kUprightSize));
  return room + longest - kTextSize;
}

// Where the chart's values stand on the page.
class Frame {
 public:
  explicit Frame(const Chart& chart) : chart_(chart), left_(left_of(chart)), below_(below(chart.x)) {}
  double x(double value) const { return left_ + place_on(chart_.x, value) * chart_.plot_width; }
  double y(double value) const { return bottom() - place_on(chart_.y, value) * chart_.plot_height; }
  double top() const { return kTopRoom + (chart_.top ? kTopAxis : 0); }
  double left() const { return left_; }
  double right() const { return left_ + chart_.plot_width; }
  double bottom() const { return top() + chart_.plot_height; }
  double end() const { return bottom() + below_; }  // of all that belongs to the axis along x
  double legend() const { return right() + (chart_.right ? kRightAxis : 0) + kLegendGap; }
  bool holds(double px, double py) const {
    constexpr double kRounding = 0.01;
    return px >= left() - kRounding && px <= right() + kRounding && py >= top() - kRounding &&
           py <= bottom() + kRounding;
  }

 private:
  const Chart& chart_;
  double left_, below_;
};

std::string stroke(const Colour& colour) { return fmt::format("stroke=\"{}\"", colour.light); }

// Names along a horizontal line, those that have room between their neighbours.
class NamesAcross {
 public:
  // Whether a name about `middle` has room; takes it.
  bool take(double middle, double width) {
    constexpr double kGap = 4;
    if (middle - width / 2 < free_) return false;
    free_ = middle + width / 2 + kGap;
    return true;
  }

 private:
  double free_ = 0;
};

void draw_x_axis(Svg& svg, const Chart& chart, const Frame& frame, int wanted) {
  NamesAcross names, groups;
  for (const Tick& tick : ticks_of(chart.x, wanted)) {
    const double x = frame.x(tick.value);
    if (!tick.label.empty() && chart.x.fixed.empty() && chart.grid) {
      svg.line(x, frame.top(), x, frame.bottom(), stroke(kGrid));
    }
    svg.line(x, frame.bottom(), x, frame.bottom() + (tick.label.empty() || chart.x.upright ? kSmallTick : kTick),
             stroke(kInk));
    if (chart.x.upright) {
      svg.text(x + kUprightSize / 3, frame.bottom() + kTick, tick.label,
               {.anchor = "end", .size = kUprightSize, .rotate = -90});
    } else if (!tick.label.empty() && names.take(x, text_width(tick.label, kTextSize))) {
      svg.text(x, frame.bottom() + kTick + kTextSize + 1, tick.label, {.anchor = "middle"});
    }
  }
  for (const Tick& group : chart.x.groups) {
    const double x = frame.x(group.value);
    if (groups.take(x, text_width(group.label, kTextSize))) {
      svg.text(x, frame.end() - kBottomRoom + kTextSize + 10, group.label, {.anchor = "middle"});
    }
  }
  svg.text((frame.left() + frame.right()) / 2, frame.end() - 14, chart.x.title, {.anchor = "middle", .size = 13});
}

void draw_y_axis(Svg& svg, const Chart& chart, const Frame& frame, int wanted) {
  for (const Tick& tick : ticks_of(chart.y, wanted)) {
    const double y = frame.y(tick.value);
    if (!tick.label.empty() && chart.y.fixed.empty() && chart.grid) {
      svg.line(frame.left(), y, frame.right(), y, stroke(kGrid));
    }
    svg.line(frame.left() - (tick.label.empty() ? kSmallTick : kTick), y, frame.left(), y, stroke(kInk));
    if (!tick.label.empty()) svg.text(frame.left() - kTick - 4, y + 4, tick.label, {.anchor = "end"});
  }
  svg.text(20, (frame.top() + frame.bottom()) / 2, chart.y.title, {.anchor = "middle", .size = 13, .rotate = -90});
}

int labels_along_x(const Chart& chart) {
  constexpr double kLabelRoom = 75;  // pixels that a label takes
  return static_cast<int>(chart.plot_width / kLabelRoom);
}

void draw_axes(Svg& svg, const Chart& chart, const Frame& frame) {
  int along_x = labels_along_x(chart), along_y = labels_along_y(chart);
  const bool alike = chart.x.low == chart.y.low && chart.x.high == chart.y.high;
  if (alike) along_x = along_y = std::min(along_x, along_y);  // so that both name the same values
  draw_x_axis(svg, chart, frame, along_x);
  draw_y_axis(svg, chart, frame, along_y);
  svg.rectangle(frame.left(), frame.top(), chart.plot_width, chart.plot_height, "fill=\"none\" " + stroke(kInk));
}

// The second scales, along the top and the right.
void draw_second_axes(Svg& svg, const Chart& chart, const Frame& frame) {
  const std::string ink = stroke(kInk);
  if (chart.top) {
    NamesAcross names;
    for (const Tick& tick : ticks_of(*chart.top, labels_along_x(chart))) {
      const double x = frame.left() + place_on(*chart.top, tick.value) * chart.plot_width;
      svg.line(x, frame.top() - (tick.label.empty() ? kSmallTick : kTick), x, frame.top(), ink);
      if (!tick.label.empty() && names.take(x, text_width(tick.label, kTextSize))) {
        svg.text(x, frame.top() - kTick - 4, tick.label, {.anchor = "middle"});
      }
    }
    svg.text((frame.left() + frame.right()) / 2, frame.top() - 30, chart.top->title, {.anchor = "middle", .size = 13});
  }
  if (chart.right) {
    double lowest = frame.bottom() + kTextSize;  // that a name may stand: names of close places go apart, upwards
    for (const Tick& tick : ticks_of(*chart.right, labels_along_y(chart))) {
      const double y = frame.bottom() - place_on(*chart.right, tick.value) * chart.plot_height;
      svg.line(frame.right(), y, frame.right() + (tick.label.empty() ? kSmallTick : kTick), y, ink);
      if (tick.label.empty()) continue;
      const double baseline = std::min(y + 4, lowest);
      svg.text(frame.right() + kTick + 4, baseline, tick.label);
      lowest = baseline - kTextSize - 1;
    }
    svg.text(frame.right() + kRightAxis - 8, (frame.top() + frame.bottom()) / 2, chart.right->title,
             {.anchor = "middle", .size = 13, .rotate = -90});
  }
}

// A shape about a place; a disc is a line of no length with round ends.
std::string shape_at(const ChartSeries& series, double x, double y) {
  const double half = series.width / 2;
  const auto to = [&](double dx, double dy) {
    return fmt::format("{} {}", svg_number(x + dx * half), svg_number(y + dy * half));
  };
  switch (series.shape) {
    case ChartShape::disc:
      if (!series.open) break;
      return fmt::format("M{0}A{2} {2} 0 1 1 {1}A{2} {2} 0 1 1 {0}Z", to(-1, 0), to(1, 0), svg_number(half));
    case ChartShape::square:
      return fmt::format("M{}L{}L{}L{}Z", to(-0.9, -0.9), to(0.9, -0.9), to(0.9, 0.9), to(-0.9, 0.9));
    case ChartShape::triangle:
      return fmt::format("M{}L{}L{}Z", to(0, -1.2), to(1.1, 0.8), to(-1.1, 0.8));
    case ChartShape::diamond:
      return fmt::format("M{}L{}L{}L{}Z", to(0, -1.2), to(1.2, 0), to(0, 1.2), to(-1.2, 0));
  }
  return fmt::format("M{} {}h0", svg_number(x), svg_number(y));
}

// What is drawn at a place: the points whose shapes fall on the same tenth of a pixel.
struct Spot {
  double x, y;
  std::vector<std::size_t> points;  // places in ChartSeries::data
};

std::vector<Spot> spots_of(const ChartSeries& series, const Frame& frame) {
  std::map<std::pair<double, double>, std::vector<std::size_t>> places;
  constexpr double kTenths = 10;
  for (std::size_t i = 0; i < series.data.size(); ++i) {
    const double px = frame.x(series.data[i].first), py = frame.y(series.data[i].second);
    if (!std::isfinite(px + py) || !frame.holds(px, py)) continue;
    places[{std::round(px * kTenths) / kTenths, std::round(py * kTenths) / kTenths}].push_back(i);
  }
  std::vector<Spot> spots;
  for (auto& [place, points] : places) spots.push_back({place.first, place.second, std::move(points)});
  return spots;
}

// "conv1 and 2 more; bytes at DRAM: 2 MB; FLOPs: 3 GFLOP": of the first point of a spot.
std::string title_of(const Chart& chart, const ChartSeries& series, const Spot& spot) {
  const std::size_t first = spot.points.front();
  std::string title = series.names.empty() ? series.name : series.names[first];
  if (!series.names.empty() && spot.points.size() > 1) title += fmt::format(" and {} more", spot.points.size() - 1);
  const auto add = [&](const Axis& axis, double value) {
    if (!axis.fixed.empty()) return;  // the name says which place it is
    title += fmt::format("{}{}: {}", title.empty() ? "" : "; ", axis.title, value_label(axis, value));
  };
  add(chart.x, series.data[first].first);
  add(chart.y, series.data[first].second);
  return title;
}

std::string polyline(const ChartSeries& series, const Frame& frame) {
  std::string data;
  for (const auto& [x, y] : series.data) {
    const double px = frame.x(x), py = frame.y(y);
    if (std::isfinite(px) && std::isfinite(py)) {
      data += fmt::format("{}{} {}", data.empty() ? "M" : "L", svg_number(px), svg_number(py));
    }
  }
  return data;
}

std::string segments(const ChartSeries& series, const Frame& frame) {
  std::string data;
  for (std::size_t i = 0; i + 1 < series.data.size(); i += 2) {
    const auto& [x1, y1] = series.data[i];
    const auto& [x2, y2] = series.data[i + 1];
    const double from_x = frame.x(x1), from_y = frame.y(y1), to_x = frame.x(x2), to_y = frame.y(y2);
    if (!std::isfinite(from_x + from_y + to_x + to_y)) continue;
    data += fmt::format("M{} {}L{} {}", svg_number(from_x), svg_number(from_y), svg_number(to_x), svg_number(to_y));
  }
  return data;
}

// Points that are drawn as an outline or an area, not as the round end of a line.
bool is_outlined(const ChartSeries& series) {
  return series.mark == ChartSeries::Mark::points && (series.open || series.shape != ChartShape::disc);
}

std::string style_of(const ChartSeries& series) {
  if (is_outlined(series)) {
    const std::string opacity = series.opacity < 1 ? fmt::format(" opacity=\"{}\"", series.opacity) : "";
    return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.4\"{}", series.open ? kGround.light : series.colour,
                       series.colour, opacity);
  }
  const std::string dashes = series.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", series.dashes);
  const std::string opacity = series.opacity < 1 ? fmt::format(" stroke-opacity=\"{}\"", series.opacity) : "";
  const char* cap = series.mark == ChartSeries::Mark::points ? " stroke-linecap=\"round\"" : "";
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}{}{}", series.colour, svg_number(series.width),
                     cap, dashes, opacity);
}

// Each point by itself, with its title; very many as one path, which a viewer can still move.
void draw_points(Svg& svg, const Chart& chart, const ChartSeries& series, const Frame& frame) {
  constexpr std::size_t kTooMany = 5000;
  const std::vector<Spot> spots = spots_of(series, frame);
  if (spots.empty()) return;
  if (spots.size() > kTooMany) {
    std::string data;
    for (const Spot& spot : spots) data += shape_at(series, spot.x, spot.y);
    svg.path(data, style_of(series), series.name);
    return;
  }
  svg.begin_group(style_of(series));
  for (const Spot& spot : spots) {
    svg.path(shape_at(series, spot.x, spot.y), "", title_of(chart, series, spot));
  }
  svg.end_group();
}

// Lines end at the frame; a point at the edge is drawn whole.
void draw_series(Svg& svg, const Chart& chart, const Frame& frame) {
  for (const ChartSeries& series : chart.series) {
    if (series.mark == ChartSeries::Mark::points) {
      draw_points(svg, chart, series, frame);
      continue;
    }
    const std::string data = series.mark == ChartSeries::Mark::line ? polyline(series, frame) : segments(series, frame);
    if (data.empty()) continue;
    svg.begin_clip(frame.left(), frame.top(), chart.plot_width, chart.plot_height);
    svg.path(data, style_of(series), series.name);
    svg.end_clip();
  }
}

// Names of points keep off the points, unless they are very many, and off lines.
void occupy(LabelPlacer& placer, const ChartSeries& series, const Frame& frame) {
  const double kept = series.width + 2;    // pixels of a point that nothing covers
  constexpr std::size_t kFewPoints = 400;  // beyond, names may cover some
  if (series.data.size() > kFewPoints || series.mark == ChartSeries::Mark::segments) return;
  std::optional<std::pair<double, double>> last;
  for (const auto& [x, y] : series.data) {
    const double px = frame.x(x), py = frame.y(y);
    if (!std::isfinite(px + py)) continue;
    if (series.mark == ChartSeries::Mark::points) placer.occupy({px - kept / 2, py - kept / 2, kept, kept});
    if (series.mark == ChartSeries::Mark::line && last) placer.occupy_line(last->first, last->second, px, py);
    last = {px, py};
  }
}

// Beside their points; the first find room first.
void draw_labels(Svg& svg, const Chart& chart, const Frame& frame) {
  if (chart.labels.empty()) return;
  constexpr double kHeight = kLabelSize + 2, kBaseline = 3;
  LabelPlacer placer({frame.left() + 2, frame.top() + 2, chart.plot_width - 4, chart.plot_height - 4});
  for (const ChartSeries& series : chart.series) occupy(placer, series, frame);
  for (const ChartLabel& label : chart.labels) {
    const double x = frame.x(label.x), y = frame.y(label.y),
                 width = text_width(label.text, kLabelSize) + kBetweenLabels;
    if (!std::isfinite(x + y)) continue;
    std::optional<LabelBox> box;
    if (label.anchor.empty()) {
      box = placer.place(x, y, width, kHeight);
    } else {
      const double left = label.anchor == "start" ? x : (label.anchor == "end" ? x - width : x - width / 2);
      const LabelBox wanted = {left, y - kHeight + kBaseline, width, kHeight};
      if (placer.take(wanted)) box = wanted;
    }
    if (!box) continue;
    if (const auto leader = leader_of(x, y, *box); leader && label.anchor.empty()) {
      svg.line(leader->x1, leader->y1, leader->x2, leader->y2, stroke(kFaint));
    }
    // Towards its point: the text is narrower than the room it was given.
    const std::string anchor = !label.anchor.empty() ? label.anchor
                               : box->x >= x         ? "start"
                               : box->x + width <= x ? "end"
                                                     : "middle";
    const double at = anchor == "start" ? box->x : (anchor == "end" ? box->x + width : box->x + width / 2);
    svg.text(at, box->y + kHeight - kBaseline, label.text,
             {.anchor = anchor, .size = kLabelSize, .colour = label.colour, .halo = true});
  }
}

// How far names to the right of the plot reach: that of the last value along x, and those of the second scale.
double right_names(const Chart& chart) {
  double reach = 0;
  if (!chart.x.upright) {
    for (const Tick& tick : ticks_of(chart.x, labels_along_x(chart))) {
      const double beyond = (1 - place_on(chart.x, tick.value)) * chart.plot_width;
      reach = std::max(reach, text_width(tick.label, kTextSize) / 2 - beyond - kRight);
    }
  }
  return reach;
}

double legend_width(const Chart& chart) {
  double widest = 0;
  for (const ChartSeries& series : chart.series) widest = std::max(widest, text_width(series.name, kTextSize));
  return widest == 0 ? 0 : kLegendGap + kSwatch + widest;
}

void draw_legend(Svg& svg, const Chart& chart, const Frame& frame) {
  const double x = frame.legend();
  double y = frame.top() + kTextSize;
  for (const ChartSeries& series : chart.series) {
    if (series.name.empty()) continue;
    ChartSeries sample = series;
    sample.opacity = 1;
    const bool points = series.mark == ChartSeries::Mark::points;
    if (points) sample.width = 8;
    const double middle = y - 4;
    svg.path(points ? shape_at(sample, x + 10, middle) : fmt::format("M{} {}h20", svg_number(x), svg_number(middle)),
             style_of(sample));
    svg.text(x + kSwatch, y, series.name);
    y += kLegendLine;
  }
}

// The caption as lines no wider than the plot.
std::vector<std::string> caption_lines(const Chart& chart) {
  std::vector<std::string> lines;
  if (chart.caption.empty()) return lines;
  const auto width = static_cast<std::size_t>(chart.plot_width / (kCharacter * kCaptionSize));
  const std::string text = wrapped(chart.caption, width, "");
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

}  // namespace

std::string svg_chart(const Chart& chart) {
  const Frame frame(chart);
  const std::string title = shorten(chart.title, kLongestTitle);
  const auto named = std::count_if(chart.series.begin(), chart.series.end(),
                                   [](const ChartSeries& series) { return !series.name.empty(); });
  const double legend_bottom = frame.top() + kLegendLine * static_cast<double>(named) + kTextSize;
  const double width = std::max({frame.legend() - kLegendGap + legend_width(chart), frame.right() + right_names(chart),
                                 frame.left() + text_width(title, kTitleSize)}) +
                       kRight;
  const std::vector<std::string> caption = caption_lines(chart);
  const double below = caption.empty() ? 0 : kCaptionLine * static_cast<double>(caption.size()) + kCaptionSize / 2;
  Svg svg(std::ceil(width), std::ceil(std::max(frame.end() + below, legend_bottom)));
  svg.text(frame.left(), kTopRoom - 14, title, {.size = kTitleSize, .bold = true});
  draw_axes(svg, chart, frame);
  draw_second_axes(svg, chart, frame);
  draw_series(svg, chart, frame);
  draw_labels(svg, chart, frame);
  draw_legend(svg, chart, frame);
  for (std::size_t i = 0; i < caption.size(); ++i) {
    svg.text(frame.left(), frame.end() + kCaptionLine * static_cast<double>(i) + 4, caption[i],
             {.size = kCaptionSize, .colour = kQuiet.light});
  }
  return svg.document();
}

}  // namespace rooftile
