// What a store holds, as JSON and as text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/report/store.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Every name of the format; of the two predictions one has no interval.
StoreContents contents() {
  StoreContents all;
  all.path = "lab.db";
  const store::Subject subject{"conv", "t4", "fp16", "fwd", "cudnn 9"};
  store::Subject bare;
  bare.op = "gemm";
  all.measurements = {{subject, {"conv.csv", "layer table", "our lab", "2026-01-31"}, 1234}, {bare, {}, 1}};
  all.fitted = {{"mine", "layers", "conv.csv", "2026", ""}};
  store::SavedPrediction one;
  one.model = "resnet50";
  one.gpu = "t4";
  one.method = "rooftile";
  one.precision = "fp16";
  one.pass = "inference";
  one.batch_size = 8;
  one.time = Seconds(0.0123456789012345678);
  one.version = "0.1.0";
  one.date = "2026-01-31";
  all.predictions.push_back(one);
  one.time_low = Seconds(0.01);
  one.time_high = Seconds(0.02);
  all.predictions.push_back(one);
  return all;
}

TEST(StoreReport, JsonFitsItsSchema) {
  const json value = json::parse(store_json(contents()));
  EXPECT_TRUE(fits_schema(value, "store-1.json"));
  EXPECT_TRUE(fits_schema(json::parse(store_json({"empty.db", {}, {}, {}})), "store-1.json"));
  EXPECT_EQ(value["measurements"][0]["rows"], 1234);
  EXPECT_EQ(value["predictions"][0]["time_s"].get<double>(), 0.0123456789012345678);
  EXPECT_FALSE(value["predictions"][0].contains("time_low_s"));
  EXPECT_EQ(value["predictions"][1]["time_high_s"], 0.02);
}

TEST(StoreReport, SchemaRefusesWhatIsNone) {
  const json value = json::parse(store_json(contents()));
  json other = value;
  other["schema"] = "rooftile/store/2";
  EXPECT_FALSE(fits_schema(other, "store-1.json"));
  other = value;
  other["measurements"][0].erase("gpu");
  EXPECT_FALSE(fits_schema(other, "store-1.json"));
  other = value;
  other["measurements"][0]["rows"] = 0;
  EXPECT_FALSE(fits_schema(other, "store-1.json"));
  other = value;
  other["predictions"][0]["time_s"] = -1;
  EXPECT_FALSE(fits_schema(other, "store-1.json"));
  other = value;
  other["fitted"][0]["extra"] = 1;
  EXPECT_FALSE(fits_schema(other, "store-1.json"));
}

TEST(StoreReport, TextOfAnotherEncodingBecomesJsonAllTheSame) {
  StoreContents all = contents();
  all.measurements[0].origin.file = "caf\xe9.csv";
  EXPECT_TRUE(fits_schema(json::parse(store_json(all)), "store-1.json"));
}

TEST(StoreReport, TableGroupsDigitsAndNamesWhatIsMissing) {
  const std::string text = store_table(contents());
  EXPECT_THAT(text, HasSubstr("Measurements: 1,235\n"));
  EXPECT_THAT(text, HasSubstr("-    gemm  -"));
  EXPECT_THAT(store_table({"empty.db", {}, {}, {}}), HasSubstr("Fitted models: none\n"));
}

}  // namespace
}  // namespace rooftile
