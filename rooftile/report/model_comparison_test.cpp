#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/report/grey_box.hpp"

namespace rooftile {
namespace {

TEST(ModelComparisonJson, FitsItsSchema) {
  ModelComparison comparison;
  comparison.rows = 12;
  comparison.scores.push_back({.split = "5 folds", .operation = "", .errors = {.rows = 12, .mape = 0.1, .gmae = 0.1}});
  comparison.scores.push_back({.split = "5 folds",
                               .operation = "conv",
                               .model = LearnedModel::grey_box,
                               .errors = {.rows = 5, .mape = 0.05},
                               .inside = 0.9,
                               .width = 0.3});
  const auto json = nlohmann::json::parse(model_comparison_json(comparison));
  EXPECT_TRUE(fits_schema(json, "model-comparison-1.json"));
  EXPECT_TRUE(json["scores"][0]["operation"].is_null());
  EXPECT_FALSE(json["scores"][0].contains("inside"));
  EXPECT_EQ(json["scores"][1]["inside"], 0.9);
  EXPECT_TRUE(json["scores"][1]["gmae"].is_null());
  auto other = json;
  other["scores"][1].erase("model");
  EXPECT_FALSE(fits_schema(other, "model-comparison-1.json"));
}

}  // namespace
}  // namespace rooftile
