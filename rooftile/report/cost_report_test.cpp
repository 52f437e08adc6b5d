#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/cost.hpp"
#include "rooftile/report/sensitivity.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Workload alexnet() {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "alexnet") return entry.build(16);
  }
  ADD_FAILURE();
  return {};
}

// A listed chip with a run, and a board with neither chip nor launch price.
CostReport two_boards() {
  const CostTable table = load_costs("").value();
  const std::vector<Gpu> gpus = {find_gpu("titan-xp").value(), find_gpu("mi100").value()};
  CostReport report;
  const auto boards = board_costs(table, gpus, gpus).value();
  for (const BoardCost& board : boards) report.boards.push_back({.board = board, .run = {}});
  report.boards[0].run = BoardRun{.model = "net", .samples = 4, .time = Seconds(0.5), .energy = {}};
  report.boards[0].run->energy.dram = Quantity<Dimension{.joule = 1}>(2);
  report.chips = chip_areas(table);
  report.facts = table.facts;
  return report;
}

TEST(CostReport, JsonFitsItsSchema) {
  json value = json::parse(cost_json(two_boards()));
  EXPECT_TRUE(fits_schema(value, "cost-1.json"));
  EXPECT_TRUE(value["boards"][1]["chip"].is_null());
  EXPECT_EQ(value["boards"][0]["run"]["energy_j"]["total"], 2);
  value["boards"][0]["yield"] = 2;
  EXPECT_FALSE(fits_schema(value, "cost-1.json"));
}

TEST(CostReport, EveryNumberOfTheCsvHasItsColumn) {
  const auto table = parse_csv(cost_csv(two_boards()), "cost.csv");
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->size(), 3u);  // with the header
  for (const CsvRow& row : *table) EXPECT_EQ(row.cells.size(), table->front().cells.size());
}

// A spreadsheet would run it.
TEST(CostReport, CsvMarksANameThatLooksLikeAFormula) {
  CostReport report = two_boards();
  report.boards[0].run->model = "=n,m";
  EXPECT_THAT(cost_csv(report), HasSubstr("\"'=n,m\",4,0.5,2\n"));
}

TEST(CostReport, TableSaysEnergyASample) {
  const std::string text = cost_table(two_boards());
  EXPECT_THAT(text, HasSubstr("mJ/sample"));
  EXPECT_THAT(text, HasSubstr("net          125        500  "));  // 0.5 s and 2 J over 4 samples
  EXPECT_THAT(text, HasSubstr("held out (constants fitted to the other generations), over 20 rows"));
}

TEST(SensitivityReport, JsonFitsItsSchema) {
  const auto study = sensitivity(alexnet(), find_gpu("titan-xp").value(), {.method = Method::delta});
  ASSERT_TRUE(study);
  json value = json::parse(sensitivity_json({&*study, 1}));
  EXPECT_TRUE(fits_schema(value, "sensitivity-1.json"));
  EXPECT_EQ(value["layers"].size(), study->prediction.layers.size());
  EXPECT_TRUE(fits_schema(json::parse(sensitivity_json(std::vector{*study, *study})), "sensitivity-1.json"));
  value["resources"][0]["next_limit"] = "luck";
  EXPECT_FALSE(fits_schema(value, "sensitivity-1.json"));
}

TEST(SensitivityReport, CsvHasARowAResourceAndLayer) {
  const auto study = sensitivity(alexnet(), find_gpu("titan-xp").value(), {.method = Method::delta});
  ASSERT_TRUE(study);
  const auto table = parse_csv(sensitivity_csv({&*study, 1}), "sensitivity.csv");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->size(), 1 + study->resources.size() * (1 + study->prediction.layers.size()));
  for (const CsvRow& row : *table) EXPECT_EQ(row.cells.size(), table->front().cells.size());
}

}  // namespace
}  // namespace rooftile
