#include "rooftile/report/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/report/palette.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr double kEdge = 20, kBarLength = 460, kValue = 90, kBarHeight = 14, kGap = 8, kLegendLine = 20;
constexpr double kTitleAt = 26, kCaptionAt = 46, kLetter = 7.3;  // pixels a letter at the size of names

double longest(const BarChart& chart) {
  double most = 0;
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    double sum = 0;
    for (const BarSeries& series : chart.series) {
      const double value = series.values[group].value_or(0);
      sum = chart.stacked ? sum + value : std::max(sum, value);
    }
    most = std::max(most, sum);
  }
  return most > 0 ? most : 1;
}

double name_width(const BarChart& chart) {
  std::size_t letters = 0;
  for (const std::string& group : chart.groups) letters = std::max(letters, width_of(group));
  return static_cast<double>(letters) * kLetter + kEdge;
}

std::size_t shown_in_legend(const BarChart& chart) {
  return static_cast<std::size_t>(std::count_if(chart.series.begin(), chart.series.end(),
                                                [](const BarSeries& series) { return !series.name.empty(); }));
}

class Drawing {
 public:
  explicit Drawing(const BarChart& chart)
      : chart_(chart),
        left_(name_width(chart)),
        scale_(kBarLength / chart.most.value_or(longest(chart))),
        bars_(chart.stacked ? 1 : chart.series.size()),
        top_(legend_bottom()),
        svg_(left_ + kBarLength + kValue, top_ + group_height() * static_cast<double>(chart.groups.size()) + kEdge) {}

  std::string drawn() {
    constexpr double kTitleLetter = 9.8;  // pixels of a bold one, on the wide side
    const auto fits = static_cast<std::size_t>((left_ + kBarLength + kValue - 2 * kEdge) / kTitleLetter);
    svg_.text(kEdge, kTitleAt, shorten(chart_.title, fits), {.size = 14, .bold = true});
    if (!chart_.caption.empty()) svg_.text(kEdge, kCaptionAt, chart_.caption, {.size = 11, .colour = kQuiet.light});
    legend();
    for (std::size_t group = 0; group < chart_.groups.size(); ++group) draw(group);
    return svg_.document();
  }

 private:
  double group_height() const { return static_cast<double>(bars_) * kBarHeight + kGap; }
  double column() const {
    std::size_t letters = 0;
    for (const BarSeries& series : chart_.series) letters = std::max(letters, width_of(series.name));
    return static_cast<double>(letters) * kLetter + 40;
  }
  std::size_t columns() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>((left_ + kBarLength) / column()));
  }
  double legend_bottom() const {
    const double above = chart_.caption.empty() ? kTitleAt + 14 : kCaptionAt + 14;
    const auto lines = std::ceil(static_cast<double>(shown_in_legend(chart_)) / static_cast<double>(columns()));
    return above + lines * kLegendLine + (lines > 0 ? 6 : 0);
  }

  void legend() {
    std::size_t place = 0;
    const double above = chart_.caption.empty() ? kTitleAt + 14 : kCaptionAt + 14;
    for (const BarSeries& series : chart_.series) {
      if (series.name.empty()) continue;
      const double x = kEdge + column() * static_cast<double>(place % columns());
      const double y = above + kLegendLine * static_cast<double>(place / columns());
      svg_.rectangle(x, y, 12, 12, fmt::format("fill=\"{}\"", series.colour));
      svg_.text(x + 18, y + 11, series.name);
      ++place;
    }
  }

  void draw(std::size_t group) {
    const double y = top_ + group_height() * static_cast<double>(group);
    const double middle = y + static_cast<double>(bars_) * kBarHeight / 2 + 4;
    svg_.text(left_ - 8, middle, chart_.groups[group], {.anchor = "end"});
    double x = left_, sum = 0;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const BarSeries& series = chart_.series[i];
      const double bar_y = chart_.stacked ? y : y + static_cast<double>(i) * kBarHeight;
      const auto& value = series.values[group];
      if (!value) {
        if (!chart_.stacked) svg_.text(left_ + 6, bar_y + kBarHeight - 3, "-", {.size = 11});
        continue;
      }
      const double length = std::min(*value * scale_, left_ + kBarLength - x);
      svg_.rectangle(x, bar_y + 1, length, kBarHeight - 2, fmt::format("fill=\"{}\"", series.colour),
                     title_of(group, series, *value));
      if (chart_.stacked) {
        x += length;
      } else {
        svg_.text(left_ + length + 6, bar_y + kBarHeight - 3, chart_.label(*value), {.size = 11});
      }
      sum += *value;
    }
    if (chart_.stacked && chart_.values_at_end) {
      svg_.text(x + 6, y + kBarHeight - 3, chart_.label(sum), {.size = 11});
    }
  }

  std::string title_of(std::size_t group, const BarSeries& series, double value) const {
    const std::string name = series.name.empty() ? "" : ", " + series.name;
    return fmt::format("{}{}: {}", chart_.groups[group], name, chart_.label(value));
  }

  const BarChart& chart_;
  double left_, scale_;
  std::size_t bars_;
  double top_;
  Svg svg_;
};

}  // namespace

std::string svg_bar_chart(const BarChart& chart) { return Drawing(chart).drawn(); }

}  // namespace rooftile
