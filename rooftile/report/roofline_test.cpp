#include "rooftile/report/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using roofline::Kernel;
using roofline::Origin;
using roofline::View;
using testing::HasSubstr;
using testing::Not;

// A layer bound by compute, one by bandwidth without FLOPs, one without bytes, and a measured kernel of the first with
// nothing but a time, of which the file also held a wrong row.
View small_view() {
  View view;
  view.title = "tiny on Some GPU";
  view.model = "tiny";
  view.gpu = "some-gpu";
  view.precision = "fp32";
  view.pass = "inference";
  view.method = "rooftile";
  view.batch_size = 4;
  view.profiles = {"p.csv"};
  view.roof.name = "Some GPU";
  view.roof.levels = {{"L2", BytesPerSecond(1e12)}, {"DRAM", BytesPerSecond(1e11)}};
  view.roof.peaks[static_cast<std::size_t>(Peak::fp32)] = FlopsPerSecond(1e13);
  view.roof.launch_overhead = Seconds(5e-6);
  view.level = 1;
  const auto add = [&](const char* name, double flops, double bytes, double seconds) {
    Kernel kernel;
    kernel.name = kernel.layer = name;
    kernel.op = "conv";
    kernel.pass = Pass::fwd;
    kernel.flops[static_cast<std::size_t>(Peak::fp32)] = Flops(flops);
    kernel.bytes = {Bytes(2 * bytes), Bytes(bytes)};
    kernel.time = Seconds(seconds);
    kernel.cases = TimeBounds{};
    (*kernel.cases)[Bottleneck::compute] = Seconds(seconds);
    kernel.bottleneck = Bottleneck::compute;
    kernel.stalls = roofline::estimated_stalls(*kernel.cases);
    kernel.stalls_estimated = true;
    view.kernels.push_back(kernel);
  };
  add("conv1", 1e10, 1e7, 2e-3);
  add("copy", 0, 1e8, 1.5e-3);
  add("</script>\xff", 1e9, 0, 1e-3);
  Kernel measured;
  measured.name = "implicit_gemm<float, \"a,b\">";
  measured.origin = Origin::measured;
  measured.flops_known = false;
  measured.bytes = {std::nullopt, std::nullopt};
  measured.time = Seconds(5e-3);
  view.kernels.push_back(measured);
  view.matches.push_back({.predicted = 0,
                          .measured = {3},
                          .by = "order",
                          .measured_time = Seconds(5e-3),
                          .time_ratio = 2.5,
                          .bytes_ratio = {std::nullopt, std::nullopt},
                          .achievable = Seconds(1e-3),
                          .loss = Seconds(4e-3)});
  view.unmatched = {1, 2};
  view.stalls = roofline::network_stalls(view.kernels);
  view.utilisation.gpu = 0.5;
  view.notes = {"a note"};
  view.dropped = {{"p.csv:3", "negative time"}};
  view.dropped_count = 1;
  return view;
}

// The second is of a GPU that has no L2.
std::vector<View> two_views() {
  View other = small_view();
  other.gpu = "another-gpu";
  other.roof.levels = {{"DRAM", BytesPerSecond(1e11)}};
  other.level = 0;
  for (Kernel& kernel : other.kernels) kernel.bytes.erase(kernel.bytes.begin());
  other.matches.clear();
  return {small_view(), other};
}

std::string json_text(const View& view) { return roofline_json({&view, 1}); }

TEST(RooflineTable, ShowsTheRoofBoundsAndWhatToFixFirst) {
  const std::string text = roofline_table(small_view(), {.all = true});
  for (const char* part :
       {"tiny on Some GPU: batch size 4, fp32, inference, method rooftile", "L2 1 TB/s, DRAM 100 GB/s",
        "predicted, bound by", "measured, bound by", "not known", "fix first", "2.50x", "no bytes",
        "stalls, predicted (estimate)", "GPU 50.0 %", "p.csv:3: negative time", "a note"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

TEST(RooflineTable, CallsAMeasuredKernelByItsLayer) {
  View view = small_view();
  view.kernels[3].layer = "conv1";
  EXPECT_THAT(roofline_table(view), HasSubstr("conv1: implicit_gemm<float, \"a,b\">"));
  view.kernels[3].name = "conv1 of a table";
  EXPECT_THAT(roofline_table(view), HasSubstr("  conv1 of a table"));
}

TEST(RooflineTable, NamesTheLargestLossFirst) {
  View view = small_view();
  view.matches.clear();
  const std::string text = roofline_table(view);
  EXPECT_LT(text.find("\n  conv1"), text.find("\n  copy"));  // 1 ms and 0.5 ms above the roof
}

TEST(RooflineJson, FitsItsSchema) {
  const auto fits = [](const json& document) { return fits_schema(document, "roofline-1.json"); };
  const json good = json::parse(json_text(small_view()));
  EXPECT_TRUE(fits(good));
  json bad = good;
  bad["kernels"][0]["time_s"] = 0;
  EXPECT_FALSE(fits(bad));
  bad = good;
  bad["kernels"][0]["points"]["DRAM"].erase("bound");
  EXPECT_FALSE(fits(bad));
  EXPECT_TRUE(fits(json::parse(roofline_json(two_views()))));
  EXPECT_FALSE(fits(json::array({good})));
  EXPECT_FALSE(fits(json::array({good, bad})));
}

TEST(RooflineJson, IsAnArrayOfSeveralGpus) {
  const json both = json::parse(roofline_json(two_views()));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], json::parse(json_text(small_view())));
  EXPECT_EQ(both[1]["gpu"], "another-gpu");
}

TEST(RooflineJson, HoldsThePoints) {
  const json report = json::parse(json_text(small_view()));
  const json& point = report["kernels"][0]["points"]["DRAM"];
  EXPECT_EQ(point["intensity"], 1000);
  EXPECT_EQ(point["bound"], "compute");
  EXPECT_EQ(point["inefficiency"], 2);
  EXPECT_EQ(report["kernels"][0]["points"]["L2"]["intensity"], 500);
  EXPECT_TRUE(report["kernels"][2]["points"]["DRAM"]["intensity"].is_null());
  EXPECT_TRUE(report["kernels"][3]["flops"].is_null());
  EXPECT_TRUE(report["kernels"][3]["points"].empty());
  EXPECT_EQ(report["matches"][0]["measured"], json::array({3}));
  EXPECT_EQ(report["dropped"]["count"], 1);
}

TEST(RooflineSvg, EveryChartDrawsWhatHasAPlaceAndCountsTheRest) {
  for (const std::string& name : roofline_chart_names()) {
    const auto chart = parse_roofline_chart(name);
    ASSERT_TRUE(chart) << name;
    EXPECT_EQ(name_of(*chart), name);
    for (const RooflineAxes axes : {RooflineAxes::bytes_x, RooflineAxes::flops_x}) {
      const std::string svg = roofline_svg(small_view(), *chart, axes);
      EXPECT_THAT(svg, HasSubstr("tiny on Some GPU")) << name;
      EXPECT_THAT(svg, HasSubstr("conv1")) << name;
      EXPECT_THAT(svg, Not(HasSubstr("</script>"))) << name;
      for (const char* wrong : {"nan", "inf\"", "inf "}) EXPECT_THAT(svg, Not(HasSubstr(wrong))) << name;
    }
  }
  EXPECT_FALSE(parse_roofline_chart("pie"));
  const std::string svg = roofline_svg(small_view(), RooflineChart::combined);
  EXPECT_THAT(svg, HasSubstr("1 kernel without FLOPs (1.5 ms)"));
  EXPECT_THAT(svg, HasSubstr("(1 ms), 1 kernel of unknown"));  // without bytes; lines break before it
}

TEST(RooflineSvg, TheCaptionNamesTheSideOfArithmeticWhicheverAxisHasTheFlops) {
  EXPECT_THAT(roofline_svg(small_view(), RooflineChart::complexity), HasSubstr("Above a balance line arithmetic"));
  EXPECT_THAT(roofline_svg(small_view(), RooflineChart::complexity, RooflineAxes::flops_x),
              HasSubstr("Below a balance line arithmetic"));
}

TEST(RooflineSvg, SmallIntensitiesAreWrittenOut) {
  View view = small_view();
  view.kernels[0].flops[static_cast<std::size_t>(Peak::fp32)] = Flops(100);
  view.kernels[0].bytes = {Bytes(1e9), Bytes(1e9)};
  const std::string svg = roofline_svg(view, RooflineChart::complexity);
  EXPECT_THAT(svg, HasSubstr(">0.000001 FLOP/B<"));
  EXPECT_THAT(svg, Not(HasSubstr("e-0")));
}

TEST(RooflineSvg, TheWholeNetworksBarCountsEachLayerForItsLargestLimit) {
  View view = small_view();
  (*view.kernels[0].cases)[Bottleneck::dram] = Seconds(1.9e-3);  // plays a part in the layer, none in the network
  view.kernels[1].bottleneck = Bottleneck::dram;
  const std::string svg = roofline_svg(view, RooflineChart::bottleneck);
  const std::string whole = svg.substr(svg.find("whole network"), svg.find(">conv1<") - svg.find("whole network"));
  EXPECT_THAT(whole, HasSubstr(R"(width="306.7" height="16" fill="#215cff")"));  // 3 of 4.5 ms, of 460 pixels
  EXPECT_THAT(whole, HasSubstr(R"(width="153.3" height="16" fill="#c26a00")"));
  EXPECT_THAT(svg, HasSubstr("largest limit"));
}

TEST(RooflineSvg, ScalesOfHundredsOfDecadesEnd) {
  View view = small_view();
  view.kernels.resize(1);
  view.kernels.push_back(view.kernels[0]);
  view.kernels[0].flops[static_cast<std::size_t>(Peak::fp32)] = Flops(1e-305);
  view.kernels[1].bytes = {Bytes(1e300), Bytes(1e300)};
  view.kernels[1].time = Seconds(1e280);
  for (const std::string& name : roofline_chart_names()) {
    const std::string svg = roofline_svg(view, *parse_roofline_chart(name));
    EXPECT_THAT(svg, HasSubstr("</svg>")) << name;
    EXPECT_LT(svg.size(), 100'000U) << name;
  }
}

TEST(RooflineSvg, NamesEveryFlatRoofBesideThePlot) {
  View view = small_view();
  view.roof.peaks[static_cast<std::size_t>(Peak::tensor_fp16)] = FlopsPerSecond(1e14);
  view.kernels.resize(1);
  view.kernels.push_back(view.kernels[0]);
  view.kernels[1].unit = Peak::tensor_fp16;
  for (const RooflineChart chart : {RooflineChart::classic, RooflineChart::hierarchical}) {
    const std::string svg = roofline_svg(view, chart);
    for (const char* name : {">fp32</text>", ">tensor_fp16</text>"}) EXPECT_THAT(svg, HasSubstr(name));
  }
}

TEST(RooflineSvg, AViewWithoutKernelsIsAChartThatSaysSo) {
  View view = small_view();
  view.kernels.clear();
  view.stalls.clear();
  for (const std::string& name : roofline_chart_names()) {
    const std::string svg = roofline_svg(view, *parse_roofline_chart(name));
    EXPECT_THAT(svg, HasSubstr("</svg>")) << name;
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << name;
  }
  EXPECT_THAT(roofline_svg(view, RooflineChart::time), HasSubstr("No kernel has FLOPs and bytes"));
}

TEST(RooflineSvg, PointsStandWhereTheirNumbersSay) {
  View view = small_view();
  view.kernels.resize(1);  // 1e10 FLOPs, 1e7 bytes, 2 ms: intensity 1000, 5e12 FLOP/s
  const std::string svg = roofline_svg(view, RooflineChart::classic);
  // x from 50 / 1.25 to 1000 x 1.25, y from 5e12 / 1.25 to 1e13 x 1.3 x 1.25 widened to a decade.
  const double x = std::log(1000 / 40.0) / std::log(1250 / 40.0);
  const double ratio = 1.3e13 * 1.25 / 4e12, low = 4e12 / std::sqrt(10 / ratio);
  const double y = std::log10(5e12 / low);
  const double left = std::stod(svg.substr(svg.find("<rect x=", svg.find("<rect") + 5) + 9));
  const auto number = [](double value) { return fmt::format("{:.1f}", std::round(value * 10) / 10); };
  EXPECT_THAT(svg, HasSubstr("M" + number(left + 520 * x) + " " + number(40 + 520 * (1 - y)) + "h0"));
}

TEST(RooflineCsv, HasARowAKernelOfEachGpu) {
  const auto rows = parse_csv(roofline_csv(two_views()), "report");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 9U);
  EXPECT_EQ(rows->front().cells.front(), "gpu");
  for (const CsvRow& row : *rows) EXPECT_EQ(row.cells.size(), rows->front().cells.size());
  const auto cell = [&](std::size_t row, std::string_view column) {
    const auto& header = rows->front().cells;
    return (*rows)[row].cells[std::find(header.begin(), header.end(), column) - header.begin()];
  };
  EXPECT_EQ(cell(1, "bound"), "compute");
  EXPECT_EQ(cell(1, "bytes.L2"), "20000000");
  EXPECT_EQ(cell(3, "intensity"), "");
  EXPECT_EQ(cell(4, "name"), "implicit_gemm<float, \"a,b\">");
  EXPECT_EQ(cell(4, "flops"), "");
  EXPECT_EQ(cell(4, "gpu"), "some-gpu");
  EXPECT_EQ(cell(5, "gpu"), "another-gpu");
  EXPECT_EQ(cell(5, "bytes.L2"), "");
  EXPECT_EQ(cell(5, "bytes.DRAM"), "10000000");
  EXPECT_EQ(cell(5, "intensity"), "1000");
}

}  // namespace
}  // namespace rooftile
