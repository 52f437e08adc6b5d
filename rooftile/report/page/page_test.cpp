#include "rooftile/report/page/page.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/profile/stall_reasons.hpp"
#include "rooftile/report/page/page_view.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/roofline/from_prediction.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A ReLU and a reshape, which takes no time; `name` is the network's and the ReLU's.
Workload workload(const std::string& name) {
  Workload made;
  made.name = name;
  made.batch_size = 8;
  made.tensors = {{"x", {8, 64, 32, 32}}, {"y", {8, 64, 32, 32}}, {"flat", {8, 65536}}};
  made.ops = {{name, Elementwise{"relu", 1}, {0}, {1}}, {"flatten", View{"flatten"}, {1}, {2}}};
  made.inputs = {0};
  made.outputs = {2};
  return made;
}

std::string page_of(const std::string& name, const std::vector<std::string>& ids = {"titan-xp"}) {
  std::vector<Prediction> predictions;
  std::vector<Gpu> gpus;
  for (const std::string& id : ids) {
    gpus.push_back(find_gpu(id).value());
    predictions.push_back(predict(workload(name), gpus.back()).value());
  }
  return prediction_page(predictions, gpus);
}

// What stands between the tags of the data block.
std::string data_of(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  return page.substr(from, page.find("</script>", from) - from);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, HasItsParts) {
  const std::string page = page_of("net");
  for (const char* part : {"<!DOCTYPE html>", "<title>net on TITAN Xp</title>", "<main id=\"main\">", "id=\"summary\"",
                           "id=\"bottlenecks\"", "id=\"roofline\"", "id=\"kernels\"", "id=\"notes\"", "</html>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, FetchesNothing) {
  const std::string page = page_of("net");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; img-src data:; script-src 'sha256-"));
  for (const char* part : {" src=", "@import", "url(", "https://"}) EXPECT_THAT(page, Not(HasSubstr(part))) << part;
}

TEST(Page, HoldsThePrediction) {
  const json view = json::parse(data_of(page_of("net")))["views"][0];
  const Gpu gpu = find_gpu("titan-xp").value();
  const Prediction prediction = predict(workload("net"), gpu).value();
  const json& kernels = view["kernels"];
  ASSERT_EQ(kernels["time_s"].size(), 1U);  // the reshape takes none
  EXPECT_EQ(kernels["time_s"][0], prediction.layers[0].time.value());
  EXPECT_EQ(kernels["flops"][0], prediction.layers[0].flops.value());
  EXPECT_EQ(view["strings"][kernels["name"][0].get<std::size_t>()], "net");
  EXPECT_EQ(view["roof"]["launch_overhead_s"], gpu.launch_overhead.value());
  const Traffic& traffic = prediction.layers[0].traffic;
  EXPECT_EQ(kernels["bytes"][2][0], traffic.dram.value() + traffic.store_dram.value());
}

TEST(Page, SaysHowTheNetworkIsRun) {
  const json setup = json::parse(data_of(page_of("net")))["views"][0]["setup"];
  const auto fact = [&](const std::string& label) {
    for (const json& one : setup) {
      if (one["label"] == label) return one["value"].get<std::string>();
    }
    return std::string();
  };
  EXPECT_EQ(fact("precision"), "fp32");
  EXPECT_EQ(fact("execution"), "eager");
  EXPECT_THAT(fact("host"), HasSubstr("GPU busy"));
}

TEST(Page, TheCardNamesTheHostWhereTheGpuWaitsForIt) {
  const json cards = json::parse(data_of(page_of("net")))["views"][0]["cards"];  // one short kernel
  for (const json& card : cards) {
    if (card["label"] == "limited most by") {
      EXPECT_EQ(card["value"], "host");
    }
  }
}

TEST(Page, NamesStayInsideTheirText) {
  const std::string hostile = "</title></script><script>alert(1)</script> {{data}} {{title}} \"<!--";
  const std::string page = page_of(hostile);
  EXPECT_EQ(count_of(page, "<script"), 2U);
  EXPECT_EQ(count_of(page, "</script>"), 2U);
  EXPECT_EQ(count_of(page, "</title>"), 1U);
  EXPECT_EQ(count_of(page, "<!--"), 0U);
  EXPECT_EQ(json::parse(data_of(page))["views"][0]["title"], hostile + " on TITAN Xp");
}

TEST(Page, WhatIsNoUtf8IsReplaced) {
  EXPECT_THAT(data_of(page_of("bad \xff\xfe name")), HasSubstr("bad \xef\xbf\xbd\xef\xbf\xbd name"));
}

TEST(Page, SeveralGpusAreSeveralViews) {
  const json views = json::parse(data_of(page_of("net", {"titan-xp", "t4"})))["views"];
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[1]["name"], "t4");
}

// palette.js repeats palette.cpp.
TEST(Page, ColoursAreThoseOfTheCharts) {
  const std::string page = page_of("net");
  const auto after = [&](const std::string& start, const std::string& end) {
    const std::size_t from = page.find(start) + start.size();
    return page.substr(from, page.find(end, from) - from);
  };
  const std::string colours = after("const COLOURS = [", "];");
  std::size_t at = 0;
  for (std::size_t i = 0; at != std::string::npos && i < 11; ++i) {
    at = colours.find(fmt::format("['{}', '{}']", series_colour(i).light, series_colour(i).dark), at);
    EXPECT_NE(at, std::string::npos) << i;
  }
  const auto colour = [](const std::string& table, std::string_view name) {
    const std::string key = fmt::format(", {}: ", name);
    const std::size_t place = (", " + table).find(key);
    return place == std::string::npos ? "" : series_colour(std::stoul(table.substr(place + key.size() - 2))).light;
  };
  const std::string limits = after("const LIMIT_COLOURS = {", "}"), levels = after("const LEVEL_COLOURS = {", "}");
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    const std::string_view limit = name_of(static_cast<Bottleneck>(i));
    EXPECT_EQ(colour(limits, limit), limit_colour(limit).light) << limit;
  }
  for (const char* bound : {"compute", "bandwidth", "launch"}) {
    EXPECT_EQ(colour(limits, bound), limit_colour(bound).light) << bound;
  }
  for (const char* level : {"L1", "L2", "MALL", "DRAM"}) {
    EXPECT_EQ(colour(levels, level), level_colour(level).light) << level;
  }
  std::string stalls = after("const STALL_COLOURS = {", "}");
  stalls.erase(stalls.find("\n "), 2);  // two lines
  for (const profile::StallReason& reason : profile::stall_reasons()) {
    EXPECT_EQ(colour(stalls, reason.name), stall_colour(reason.name).light) << reason.name;
  }
}

TEST(Page, EqualInputGivesEqualBytes) { EXPECT_EQ(page_of("net"), page_of("net")); }

TEST(Page, WhatIsNotKnownIsNull) {
  roofline::View view;
  view.gpu = "t4";
  view.roof = roofline::roof_of(find_gpu("t4").value());
  roofline::Kernel kernel;
  kernel.name = "unknown";
  kernel.origin = roofline::Origin::measured;
  kernel.flops_known = false;
  kernel.bytes.resize(view.roof.levels.size());
  kernel.time = Seconds(1e-3);
  view.kernels = {kernel};
  const json kernels = json::parse(data_of(roofline_page(view)))["views"][0]["kernels"];
  EXPECT_TRUE(kernels["flops"][0].is_null());
  EXPECT_TRUE(kernels["bytes"][0][0].is_null());
  EXPECT_EQ(kernels["limit"][0], -1);
}

TEST(Page, NameOfTheCsv) {
  EXPECT_EQ(file_name_of("resnet50 on Tesla/V100"), "resnet50-on-Tesla-V100");
  EXPECT_EQ(file_name_of("../../etc"), "..-..-etc");
  EXPECT_EQ(file_name_of("名"), "rooftile");
}

}  // namespace
}  // namespace rooftile
