#include "rooftile/report/svg.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/report/svg_axis.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/svg_labels.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> named(const Axis& axis, int wanted) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks_of(axis, wanted)) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

TEST(SvgNumber, IsShort) {
  EXPECT_EQ(svg_number(7), "7");
  EXPECT_EQ(svg_number(7.46), "7.5");
  EXPECT_EQ(svg_number(-0.01), "0");
  EXPECT_EQ(svg_number(1234567.89), "1234567.9");
}

TEST(SvgText, IsEscaped) {
  EXPECT_EQ(svg_escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
  EXPECT_EQ(svg_escaped("a\nb\x1b\xff"), "a?b??");
  Svg svg(10, 10);
  svg.text(1, 2, "</text><script>");
  EXPECT_THAT(svg.document(), Not(HasSubstr("<script>")));
}

TEST(Axis, PlacesValues) {
  const Axis linear = {.title = "", .low = 10, .high = 20};
  EXPECT_DOUBLE_EQ(place_on(linear, 15), 0.5);
  const Axis logarithmic = {.title = "", .scale = Scale::logarithmic, .low = 1, .high = 100};
  EXPECT_DOUBLE_EQ(place_on(logarithmic, 10), 0.5);
}

TEST(Axis, NamesRoundNumbers) {
  EXPECT_THAT(named({.title = "", .low = 0, .high = 1}, 5), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
  EXPECT_THAT(named({.title = "", .low = 3, .high = 47}, 5), ElementsAre("10", "20", "30", "40"));
  const auto logarithmic = [](double low, double high) {
    return Axis{.title = "", .scale = Scale::logarithmic, .low = low, .high = high};
  };
  EXPECT_THAT(named(logarithmic(0.8, 1200), 8), ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(named(logarithmic(0.8, 60), 8), ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(named(logarithmic(1, 1e12), 6), ElementsAre("1", "100", "10000", "1e+06", "1e+08", "1e+10", "1e+12"));
}

TEST(Axis, LabelsHaveUnits) {
  EXPECT_EQ(time_label(1e-5), "10 us");
  EXPECT_EQ(time_label(0.002), "2 ms");
  EXPECT_EQ(bytes_label(2e6), "2 MB");
  EXPECT_EQ(bytes_label(1000), "1 kB");
  EXPECT_EQ(bytes_label(20), "20 B");
}

TEST(Axis, FitsItsValues) {
  Axis axis = {.title = "", .scale = Scale::logarithmic};
  fit_to(axis, {NAN, -1, 0, 4, 40});
  EXPECT_LT(axis.low, 4);
  EXPECT_GT(axis.high, 40);
  EXPECT_GT(axis.low, 0);
  Axis linear;
  fit_to(linear, {3, 47});
  EXPECT_EQ(linear.low, 0);
  EXPECT_EQ(linear.high, 50);
  fit_to(linear, {});
  EXPECT_LT(linear.low, linear.high);
}

TEST(Axis, TicksLieOnTheAxisInOrder) {
  EXPECT_TRUE(rc::check([](int exponent, unsigned span, bool logarithmic) {
    Axis axis;
    axis.scale = logarithmic ? Scale::logarithmic : Scale::linear;
    axis.low = std::pow(10, exponent % 12);
    axis.high = axis.low * (1.5 + span % 100000);
    double last = -INFINITY;
    for (const Tick& tick : ticks_of(axis, 6)) {
      RC_ASSERT(place_on(axis, tick.value) >= -1e-6);
      RC_ASSERT(place_on(axis, tick.value) <= 1 + 1e-6);
      RC_ASSERT(tick.value > last);
      last = tick.value;
    }
  }));
}

TEST(Labels, KeepOffOneAnotherAndInsideTheirArea) {
  LabelPlacer placer({0, 0, 100, 100});
  EXPECT_EQ(placer.place(50, 50, 30, 10)->x, 56);  // to the right
  EXPECT_EQ(placer.place(50, 50, 30, 10)->x, 14);  // then to the left
  EXPECT_EQ(placer.place(98, 20, 30, 10)->x, 62);  // no room to the right
  EXPECT_FALSE(placer.place(50, 50, 200, 10));
  placer.occupy({0, 0, 100, 100});
  EXPECT_FALSE(placer.place(20, 80, 5, 5));
}

TEST(Labels, KeepOffLines) {
  LabelPlacer placer({0, 0, 100, 100});
  placer.occupy_line(70, 0, 70, 100);
  placer.occupy_line(50, 90, 51, 100);             // below everything
  EXPECT_EQ(placer.place(50, 50, 30, 10)->x, 14);  // the right side is crossed
  EXPECT_TRUE(placer.take({60, 40, 30, 10}));      // a line's own name stands on it
  placer.occupy_line(0, 0, 100, 100);
  placer.occupy_line(0, 100, 100, 0);
  EXPECT_FALSE(placer.place(50, 50, 95, 10));
}

TEST(Chart, NamesOfCloseRightTicksStandApart) {
  Chart chart;
  chart.title = "t";
  chart.right = Axis{.title = "", .low = 0, .high = 1, .fixed = {{0.5, "one"}, {0.501, "other"}, {0.9, "far"}}};
  const std::string svg = svg_chart(chart);  // 520 pixels from 40 on; baselines 4 below their ticks
  const auto baseline = [&](const char* name) {
    const std::size_t start = svg.rfind("<text", svg.find(std::string(">") + name + "<"));
    return std::stod(svg.substr(svg.find(" y=\"", start) + 4));
  };
  EXPECT_EQ(baseline("one"), 304);
  EXPECT_EQ(baseline("other"), 304 - 13);
  EXPECT_EQ(baseline("far"), 96);
}

TEST(Chart, DrawsShapesSegmentsLabelsAndSecondScales) {
  Chart chart;
  chart.title = "t";
  chart.x = chart.y = {.title = "t", .scale = Scale::logarithmic, .low = 1, .high = 100};
  chart.top = Axis{.title = "above", .scale = Scale::logarithmic, .low = 1, .high = 100};
  chart.right = Axis{.title = "beside", .scale = Scale::logarithmic, .low = 1, .high = 100};
  ChartSeries squares = {.name = "squares", .data = {{10, 10}}, .width = 8, .shape = ChartShape::square, .open = true};
  ChartSeries pairs = {
      .name = "pairs", .mark = ChartSeries::Mark::segments, .data = {{1, 1}, {10, 10}, {0, 1}, {1, 1}}};
  chart.series = {squares, pairs};
  chart.labels = {{10, 10, "named & placed", "#222222", ""}, {-1, 1, "nowhere", "#222222", ""}};
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr("M348.4 340.4L355.6 340.4L355.6 347.6L348.4 347.6Z"));  // 44 lower: room for the scale
  EXPECT_THAT(svg, HasSubstr("<path d=\"M92 604L352 344\""));  // the pair that has no place is not
  EXPECT_THAT(svg, HasSubstr("named &amp; placed"));
  EXPECT_THAT(svg, Not(HasSubstr("nowhere")));
  EXPECT_THAT(svg, HasSubstr("above"));
  EXPECT_THAT(svg, HasSubstr("beside"));
}

TEST(Chart, DrawsEachPlaceOnceAndNothingThatHasNone) {
  Chart chart;
  chart.title = "a < b";
  chart.x = chart.y = {.title = "t", .scale = Scale::logarithmic, .low = 1, .high = 100};
  ChartSeries points;
  points.name = "some & more";
  points.data = {{10, 10}, {10, 10}, {0, 5}, {-1, 5}, {NAN, 1}};
  chart.series.push_back(points);
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, HasSubstr("some &amp; more"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M352 300h0\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace rooftile
