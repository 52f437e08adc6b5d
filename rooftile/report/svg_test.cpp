#include "rooftile/report/svg.hpp"

#include <cmath>
#include <regex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/report/bar_chart.hpp"
#include "rooftile/report/svg_axis.hpp"
#include "rooftile/report/svg_chart.hpp"
#include "rooftile/report/svg_labels.hpp"
#include "rooftile/report/text.hpp"

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

TEST(Axis, IsTitledInWords) {
  EXPECT_EQ(axis_title("sm_count"), "SM count");
  EXPECT_EQ(axis_title("manufacturing_cost"), "manufacturing cost");
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
  EXPECT_THAT(named(logarithmic(0.8, 1200), 8), ElementsAre("1", "10", "100", "1,000"));
  EXPECT_THAT(named(logarithmic(0.8, 60), 8), ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(named(logarithmic(1, 1e12), 6),
              ElementsAre("1", "100", "10,000", "1,000,000", "100,000,000", "10,000,000,000", "1e+12"));
}

TEST(Axis, NamesRoundTimes) {
  const auto linear = [](double high) { return Axis{.title = "", .high = high, .time = true}; };
  EXPECT_THAT(named(linear(5.83 * 3600), 6), ElementsAre("0", "1 h", "2 h", "3 h", "4 h", "5 h"));
  EXPECT_THAT(named(linear(1.5 * 3600), 6),
              ElementsAre("0", "15 min", "30 min", "45 min", "60 min", "75 min", "90 min"));
  EXPECT_THAT(named(linear(100), 5), ElementsAre("0", "20 s", "40 s", "60 s", "80 s", "100 s"));
  EXPECT_THAT(named(linear(40 * 3600), 8), ElementsAre("0", "6 h", "12 h", "18 h", "24 h", "30 h", "36 h"));
  EXPECT_THAT(named(linear(86400 * 90), 5), ElementsAre("0", "20 d", "40 d", "60 d", "80 d"));
  EXPECT_THAT(named(linear(0.004), 4), ElementsAre("0", "1 ms", "2 ms", "3 ms", "4 ms"));
  const auto logarithmic = [](double low, double high) {
    return Axis{.title = "", .scale = Scale::logarithmic, .low = low, .high = high, .time = true};
  };
  EXPECT_THAT(named(logarithmic(0.5, 50000), 8), ElementsAre("1 s", "10 s", "1 min", "10 min", "1 h", "10 h"));
  EXPECT_THAT(named(logarithmic(15, 320), 8), ElementsAre("20 s", "1 min", "2 min", "5 min")) << "50 s is too close";
  EXPECT_THAT(named(logarithmic(6600, 20000), 8), ElementsAre("2 h", "3 h", "4 h", "5 h"));
  EXPECT_THAT(named(logarithmic(70, 5000), 8), ElementsAre("2 min", "5 min", "10 min", "20 min", "30 min", "1 h"));
}

TEST(Axis, LabelsHaveUnits) {
  EXPECT_EQ(time_label(1e-5), "10 us");
  EXPECT_EQ(time_label(0.002), "2 ms");
  EXPECT_EQ(bytes_label(2e6), "2 MB");
  EXPECT_EQ(bytes_label(1000), "1 kB");
  EXPECT_EQ(bytes_label(20), "20 B");
}

TEST(Axis, LargeNumbersAreWrittenOut) {
  EXPECT_EQ(value_label({}, 1e7), "10,000,000");
  EXPECT_EQ(value_label({}, 1000), "1,000");
  EXPECT_EQ(value_label({}, 0.5), "0.5");
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

TEST(Axis, ShortLogarithmicOnesNameMoreThanOneValue) {
  Axis axis = {.title = "", .scale = Scale::logarithmic, .low = 2.5, .high = 6.5};
  EXPECT_THAT(named(axis, 6), ElementsAre("3", "4", "5", "6"));
  axis.low = 1.2;
  axis.high = 1.9;
  EXPECT_THAT(named(axis, 6), ElementsAre("1.2", "1.4", "1.6", "1.8"));
  axis.low = 0.9;
  axis.high = 2.1;
  EXPECT_THAT(named(axis, 6), ElementsAre("1", "2"));
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
  EXPECT_THAT(svg, HasSubstr("<path d=\"M352 300h0\"><title>some &amp; more; t: 10; t: 10</title></path>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Chart, TellsWhatAPointIs) {
  Chart chart;
  chart.x = {.title = "time", .high = 4, .time = true};
  chart.y = {.title = "price", .high = 100, .label = [](double value) { return fmt::format("{} USD", value); }};
  ChartSeries points;
  points.name = "designs";
  points.data = {{2, 50}, {2, 50}, {4, 100}};
  points.names = {"first", "second", "<third>"};
  chart.series.push_back(points);
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr("<title>first and 1 more; time: 2 s; price: 50 USD</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;third&gt;; time: 4 s; price: 100 USD</title>"));
}

// A network's name may be of any length; the end of the title says what is drawn.
TEST(Chart, LongTitlesAreCutInTheMiddle) {
  const std::string title = std::string(200, 'm') + ", inference: throughput";
  Chart chart;
  chart.title = title;
  chart.series.emplace_back().data = {{0, 0}};
  BarChart bar_chart{.title = title, .groups = {"t4"}, .series = {{"", "#000", {1.0}}}, .label = {}};
  bar_chart.label = [](double value) { return fmt::format("{}", value); };
  const std::string bars = svg_bar_chart(bar_chart);
  for (const std::string& svg : {svg_chart(chart), bars}) {
    EXPECT_THAT(svg, HasSubstr("m…m"));
    EXPECT_THAT(svg, HasSubstr("throughput<"));
    EXPECT_THAT(svg, Not(HasSubstr(std::string(80, 'm'))));
  }
}

// At the edge the whole mark is drawn: nothing is clipped but lines.
TEST(Chart, CutsNoPointAtTheEdge) {
  Chart chart;
  ChartSeries points;
  points.data = {{1, 1}, {0, 0}, {1.5, 0.5}};
  chart.series.push_back(points);
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr("M612 40h0"));
  EXPECT_THAT(svg, HasSubstr("M92 560h0"));
  EXPECT_THAT(svg, Not(HasSubstr("clip")));
  EXPECT_THAT(svg, Not(HasSubstr("M872")));  // beyond the axis
}

TEST(Svg, HasADarkVariant) {
  Svg svg(10, 10);
  svg.rectangle(0, 0, 5, 5, fmt::format("fill=\"{}\" stroke=\"none\"", series_colour(0).light), "a & b");
  const std::string document = svg.document();
  EXPECT_THAT(document, HasSubstr("@media (prefers-color-scheme: dark)"));
  EXPECT_THAT(document, HasSubstr("[fill=\"#ffffff\"] { fill: #15181c }"));
  EXPECT_THAT(document, HasSubstr(fmt::format("{{ fill: {} }}", series_colour(0).dark)));
  EXPECT_THAT(document, HasSubstr("<title>a &amp; b</title></rect>"));
}

// Boxes of all texts of a chart, as wide as the chart takes them to be.
struct TextBox {
  std::string text;
  double left, top, right, bottom;
};

std::vector<TextBox> texts_of(const std::string& svg) {
  static const std::regex kText(
      "<text x=\"([^\"]*)\" y=\"([^\"]*)\" font-size=\"([^\"]*)\" text-anchor=\"([^\"]*)\"([^>]*)>([^<]*)</text>");
  std::vector<TextBox> boxes;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kText), end; it != end; ++it) {
    const std::smatch& match = *it;
    const double x = std::stod(match[1]), y = std::stod(match[2]), size = std::stod(match[3]);
    const double width = 0.6 * size * static_cast<double>(width_of(match[6].str()));
    const double before = match[4] == "start" ? 0 : (match[4] == "end" ? width : width / 2);
    const bool upright = match[5].str().find("rotate(-90") != std::string::npos;
    if (upright) {
      boxes.push_back({match[6], x - 0.75 * size, y - (width - before), x + 0.2 * size, y + before});
    } else {
      boxes.push_back({match[6], x - before, y - 0.75 * size, x - before + width, y + 0.2 * size});
    }
  }
  return boxes;
}

void expect_apart_and_inside(const std::string& svg) {
  static const std::regex kSize("<svg [^>]*width=\"([^\"]*)\" height=\"([^\"]*)\"");
  std::smatch size;
  RC_ASSERT(std::regex_search(svg, size, kSize));
  const double width = std::stod(size[1]), height = std::stod(size[2]);
  const std::vector<TextBox> boxes = texts_of(svg);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    if (a.left < 0 || a.top < 0 || a.right > width || a.bottom > height) RC_FAIL("outside: " + a.text);
    for (std::size_t j = 0; j < i; ++j) {
      const TextBox& b = boxes[j];
      const bool meet = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      if (meet) RC_FAIL(a.text + " over " + b.text);
    }
  }
}

TEST(Labels, NamesDoNotTouch) {
  LabelPlacer placer({0, 0, 1000, 100});
  EXPECT_TRUE(placer.take({0, 0, 100, 10}));
  EXPECT_FALSE(placer.take({100, 0, 100, 10}));
  EXPECT_FALSE(placer.take({0, 10, 100, 10}));
  EXPECT_TRUE(placer.take({101, 0, 100, 10}));
}

TEST(Labels, NoLeaderCrossesAName) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<unsigned, unsigned>>& points) {
    LabelPlacer placer({0, 0, 300, 200});
    std::vector<LabelBox> names;
    std::vector<LabelLine> leaders;
    for (const auto& [a, b] : points) {
      const double x = a % 300, y = b % 200;
      const auto name = placer.place(x, y, 50, 12);
      if (!name) continue;
      names.push_back(*name);
      if (const auto leader = leader_of(x, y, *name)) leaders.push_back(*leader);
    }
    constexpr int kSteps = 50;
    for (const LabelLine& line : leaders) {
      for (int step = 0; step < kSteps; ++step) {  // its last point is at its own name
        const double share = static_cast<double>(step) / kSteps;
        const double x = line.x1 + share * (line.x2 - line.x1), y = line.y1 + share * (line.y2 - line.y1);
        RC_ASSERT(std::none_of(names.begin(), names.end(), [&](const LabelBox& name) {
          return x > name.x && x < name.x + name.width && y > name.y && y < name.y + name.height;
        }));
      }
    }
  }));
}

TEST(Chart, NoTwoTextsMeetAndNoneLeavesThePicture) {
  EXPECT_TRUE(rc::check([](bool logarithmic, bool time, const std::vector<std::pair<unsigned, unsigned>>& raw) {
    Chart chart;
    chart.title = "any points";
    chart.caption = "what to know of them";
    chart.x = {.title = "across", .scale = logarithmic ? Scale::logarithmic : Scale::linear, .time = time};
    chart.y = {.title = "up", .scale = Scale::logarithmic, .label = bytes_label};
    ChartSeries points;
    points.name = "points";
    std::vector<double> xs, ys;
    for (const auto& [a, b] : raw) {
      xs.push_back(1e-6 * std::pow(1.001, a % 30000));
      ys.push_back(std::pow(1.001, b % 30000));
      points.data.emplace_back(xs.back(), ys.back());
      chart.labels.push_back({xs.back(), ys.back(), fmt::format("layer{}/attention", a % 100)});
    }
    fit_to(chart.x, xs);
    fit_to(chart.y, ys);
    chart.series.push_back(points);
    expect_apart_and_inside(svg_chart(chart));
  }));
}

TEST(Chart, ManyNamesAlongXStandOnEnd) {
  Chart chart;
  chart.plot_width = 900;
  chart.x.title = "layers";
  chart.x.upright = true;
  for (int i = 0; i < 80; ++i) chart.x.fixed.push_back({(i + 0.5) / 80, fmt::format("conv{}_1/3x3_reduce", i)});
  chart.x.groups = {{0.05, "first"}, {0.06, "hidden"}, {0.7, "second"}};
  const std::string svg = svg_chart(chart);
  EXPECT_TRUE(rc::check([&] { expect_apart_and_inside(svg); }));
  EXPECT_THAT(svg, HasSubstr("conv79_1/3x3_reduce"));
  EXPECT_THAT(svg, Not(HasSubstr("hidden")));
}

}  // namespace
}  // namespace rooftile
