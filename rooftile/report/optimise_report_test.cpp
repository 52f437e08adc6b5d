// Optimised designs as JSON, CSV, text and SVG.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/report/optimise.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Solved {
  DesignSpace space;
  Optimum optimum;
  OptimumReport report() const {
    return {.space = space, .optimum = optimum, .method = "delta", .seed = 1, .has_costs = true, .notes = {"a note"}};
  }
};

Solved solved(std::vector<Metric> objectives, std::vector<std::string> constraints) {
  Solved result;
  result.space = parse_space(R"(
gpu = "titan-xp-delta"
[axes]
sm_count = { multiples = [0.5, 1, 2, 4] }
registers = { multiples = [0.25, 1] }
dram_bandwidth = { multiples = [1, 2, 4] }
[[workload]]
model = "alexnet"
batch_size = 64
)",
                             "test")
                     .value();
  const auto alexnet = std::find_if(zoo().begin(), zoo().end(), [](const ZooEntry& e) { return e.name == "alexnet"; });
  const auto evaluator =
      make_evaluator(result.space, {{.workload = alexnet->build(64)}}, {.method = Method::delta}).value();
  const CostTable costs = load_costs("").value();
  result.optimum =
      optimise(result.space, *evaluator,
               {.objectives = std::move(objectives), .constraints = std::move(constraints), .costs = &costs})
          .value();
  return result;
}

TEST(OptimumReport, JsonFitsItsSchema) {
  const Solved one = solved({Metric::manufacturing_cost}, {"time <= 0.02", "sm_count == 30 or sm_count > 50"});
  json value = json::parse(optimum_json(one.report()));
  EXPECT_TRUE(fits_schema(value, "optimum-1.json"));
  EXPECT_EQ(value["objectives"], json::array({"manufacturing_cost_usd"}));
  EXPECT_EQ(value["designs_in_space"], 24);
  EXPECT_EQ(value["exact"], true);
  EXPECT_EQ(value["designs"][0]["slack"][1], true);
  EXPECT_EQ(value["axes"].size(), 3U);
  EXPECT_FALSE(value["constraints"][1].contains("objective_1_percent_looser"));
  value["designs"][0]["metrics"].erase("time_s");
  EXPECT_FALSE(fits_schema(value, "optimum-1.json"));
  EXPECT_TRUE(fits_schema(json::parse(optimum_json(solved({Metric::time, Metric::manufacturing_cost}, {}).report())),
                          "optimum-1.json"));
}

TEST(OptimumReport, CsvHasARowADesign) {
  const Solved front = solved({Metric::time, Metric::manufacturing_cost}, {"area < 100000"});
  const auto table = parse_csv(optimum_csv(front.report()), "front.csv");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->size(), 1 + front.optimum.designs.size());
  EXPECT_GT(front.optimum.designs.size(), 3U);
  for (const CsvRow& row : *table) EXPECT_EQ(row.cells.size(), table->front().cells.size());
}

TEST(OptimumReport, TextSaysWhatBindsAndWhatStepsBreak) {
  const Solved one = solved({Metric::manufacturing_cost}, {"time <= 0.012"});
  const std::string text = optimum_table(one.report());
  EXPECT_THAT(text, HasSubstr("all 24 designs were tried"));
  EXPECT_THAT(text, HasSubstr("a note"));
  EXPECT_THAT(text, HasSubstr("breaks time <= 0.012"));
  EXPECT_THAT(text, HasSubstr("registers"));
}

TEST(OptimumReport, ChartHasTheFrontAndTheGpu) {
  const std::string svg = optimum_svg(solved({Metric::time, Metric::manufacturing_cost}, {}).report());
  EXPECT_THAT(svg, HasSubstr("titan-xp-delta"));
  EXPECT_THAT(svg, HasSubstr("designs of the front"));
}

}  // namespace
}  // namespace rooftile
