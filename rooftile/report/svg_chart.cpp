#include "rooftile/report/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "rooftile/report/svg.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kTextSize = 12, kTitleSize = 14, kCaptionSize = 11, kCaptionLine = 15;
constexpr double kCharacter = 0.6;  // width of one over its size, on the wide side, so that nothing is cut off
constexpr double kLeft = 92, kTop = 40, kBottom = 62, kRight = 24;
constexpr double kLegendGap = 20, kSwatch = 26, kLegendLine = 20;
constexpr double kTick = 6, kSmallTick = 3;

double text_width(std::string_view text, double size) {
  return kCharacter * size * static_cast<double>(width_of(text));
}

// Where the chart's values stand on the page.
class Frame {
 public:
  explicit Frame(const Chart& chart) : chart_(chart) {}
  double x(double value) const { return kLeft + place_on(chart_.x, value) * chart_.plot_width; }
  double y(double value) const { return bottom() - place_on(chart_.y, value) * chart_.plot_height; }
  double right() const { return kLeft + chart_.plot_width; }
  double bottom() const { return kTop + chart_.plot_height; }

 private:
  const Chart& chart_;
};

void draw_axes(Svg& svg, const Chart& chart, const Frame& frame) {
  constexpr double kLabelRoom = 75;  // pixels that a label along x takes
  constexpr double kLineRoom = 45;   // and one along y
  const std::string grid = "stroke=\"#e2e2e2\"";
  const std::string ink = "stroke=\"#444444\"";
  int along_x = static_cast<int>(chart.plot_width / kLabelRoom);
  int along_y = static_cast<int>(chart.plot_height / kLineRoom);
  const bool alike = chart.x.low == chart.y.low && chart.x.high == chart.y.high;
  if (alike) along_x = along_y = std::min(along_x, along_y);  // so that both name the same values
  for (const Tick& tick : ticks_of(chart.x, along_x)) {
    const double x = frame.x(tick.value);
    if (!tick.label.empty() && chart.x.fixed.empty()) svg.line(x, kTop, x, frame.bottom(), grid);
    svg.line(x, frame.bottom(), x, frame.bottom() + (tick.label.empty() ? kSmallTick : kTick), ink);
    if (!tick.label.empty()) {
      svg.text(x, frame.bottom() + kTick + kTextSize + 1, tick.label, {.anchor = "middle"});
    }
  }
  for (const Tick& tick : ticks_of(chart.y, along_y)) {
    const double y = frame.y(tick.value);
    if (!tick.label.empty() && chart.y.fixed.empty()) svg.line(kLeft, y, frame.right(), y, grid);
    svg.line(kLeft - (tick.label.empty() ? kSmallTick : kTick), y, kLeft, y, ink);
    if (!tick.label.empty()) svg.text(kLeft - kTick - 4, y + 4, tick.label, {.anchor = "end"});
  }
  svg.rectangle(kLeft, kTop, chart.plot_width, chart.plot_height, "fill=\"none\" " + ink);
  svg.text((kLeft + frame.right()) / 2, frame.bottom() + kBottom - 14, chart.x.title, {.anchor = "middle", .size = 13});
  svg.text(20, (kTop + frame.bottom()) / 2, chart.y.title, {.anchor = "middle", .size = 13, .rotate = -90});
}

// Points as one path of dots; those that fall on the same tenth of a pixel are one.
std::string dots(const ChartSeries& series, const Frame& frame) {
  std::set<std::pair<double, double>> places;
  constexpr double kTenths = 10;
  for (const auto& [x, y] : series.data) {
    const double px = frame.x(x), py = frame.y(y);
    if (std::isfinite(px) && std::isfinite(py)) {
      places.emplace(std::round(px * kTenths) / kTenths, std::round(py * kTenths) / kTenths);
    }
  }
  std::string data;
  for (const auto& [px, py] : places) data += fmt::format("M{} {}h0", svg_number(px), svg_number(py));
  return data;
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

std::string style_of(const ChartSeries& series) {
  const std::string dashes = series.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", series.dashes);
  const std::string opacity = series.opacity < 1 ? fmt::format(" stroke-opacity=\"{}\"", series.opacity) : "";
  const char* cap = series.mark == ChartSeries::Mark::points ? " stroke-linecap=\"round\"" : "";
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}{}{}", series.colour, svg_number(series.width),
                     cap, dashes, opacity);
}

void draw_series(Svg& svg, const Chart& chart, const Frame& frame) {
  svg.begin_clip(kLeft, kTop, chart.plot_width, chart.plot_height);
  for (const ChartSeries& series : chart.series) {
    const std::string data = series.mark == ChartSeries::Mark::points ? dots(series, frame) : polyline(series, frame);
    if (!data.empty()) svg.path(data, style_of(series));
  }
  svg.end_clip();
}

double legend_width(const Chart& chart) {
  double widest = 0;
  for (const ChartSeries& series : chart.series) widest = std::max(widest, text_width(series.name, kTextSize));
  return widest == 0 ? 0 : kLegendGap + kSwatch + widest;
}

void draw_legend(Svg& svg, const Chart& chart, const Frame& frame) {
  const double x = frame.right() + kLegendGap;
  double y = kTop + kTextSize;
  for (const ChartSeries& series : chart.series) {
    if (series.name.empty()) continue;
    ChartSeries sample = series;
    sample.opacity = 1;
    const bool points = series.mark == ChartSeries::Mark::points;
    if (points) sample.width = 8;
    const double middle = y - 4;
    svg.path(points ? fmt::format("M{} {}h0", svg_number(x + 10), svg_number(middle))
                    : fmt::format("M{} {}h20", svg_number(x), svg_number(middle)),
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

std::string_view chart_colour(std::size_t index) {
  constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#e69f00", "#56b4e9", "#000000"};
  return kColours[index % kColours.size()];
}

std::string svg_chart(const Chart& chart) {
  const Frame frame(chart);
  const auto named = std::count_if(chart.series.begin(), chart.series.end(),
                                   [](const ChartSeries& series) { return !series.name.empty(); });
  const double legend_bottom = kTop + kLegendLine * static_cast<double>(named) + kTextSize;
  const double width =
      std::max(frame.right() + legend_width(chart), kLeft + text_width(chart.title, kTitleSize)) + kRight;
  const std::vector<std::string> caption = caption_lines(chart);
  const double below = caption.empty() ? 0 : kCaptionLine * static_cast<double>(caption.size()) + kCaptionSize / 2;
  Svg svg(std::ceil(width), std::ceil(std::max(frame.bottom() + kBottom + below, legend_bottom)));
  svg.text(kLeft, kTop - 14, chart.title, {.size = kTitleSize, .bold = true});
  draw_axes(svg, chart, frame);
  draw_series(svg, chart, frame);
  draw_legend(svg, chart, frame);
  for (std::size_t i = 0; i < caption.size(); ++i) {
    svg.text(kLeft, frame.bottom() + kBottom + kCaptionLine * static_cast<double>(i) + 4, caption[i],
             {.size = kCaptionSize, .colour = "#555555"});
  }
  return svg.document();
}

}  // namespace rooftile
