#include "rooftile/report/predicted_table.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/report/row_label.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// By a method, and by a fitted model that has neither an interval nor bytes; the column `method` is of an earlier run.
PredictedTable predicted() {
  PredictedTable table{.columns = {"M", "method", "note"}, .rows = {}};
  table.rows.push_back({.line = 2,
                        .label = "gemm 64x64x64",
                        .gpu = "t4",
                        .cells = {"64", "delta", "a \"b\",\x1b"},
                        .predicted = {"12.5", "10", "15.25", "dram", "rooftile", "1", "2", "19238419200"}});
  table.rows.push_back({.line = 1003,
                        .label = "gemm 128x64x64",
                        .gpu = "v100-sxm2-16gb",
                        .cells = {"128", "", ""},
                        .predicted = {"1500.125", "", "", "", "grey-box", "", "", ""}});
  return table;
}

TEST(PredictedTable, CsvReplacesColumnsOfAnEarlierRun) {
  EXPECT_EQ(predicted_csv(predicted()),
            "M,method,note,predicted_time_us,predicted_low_us,predicted_high_us,bottleneck,predicted_l1_bytes,"
            "predicted_l2_bytes,predicted_dram_bytes\n"
            "64,rooftile,\"a \"\"b\"\",\x1b\",12.5,10,15.25,dram,1,2,19238419200\n"
            "128,grey-box,,1500.125,,,,,,\n");
}

TEST(PredictedTable, JsonHasNumbersAndFitsItsSchema) {
  const json report = json::parse(predicted_json(predicted()));
  EXPECT_TRUE(fits_schema(report, "predicted-table-1.json"));
  EXPECT_EQ(report["schema"], "rooftile/predicted-table/1");
  ASSERT_EQ(report["rows"].size(), 2U);
  const json &first = report["rows"][0], &second = report["rows"][1];
  EXPECT_EQ(first["M"], "64");
  EXPECT_EQ(first["note"], "a \"b\",\x1b");
  EXPECT_EQ(first["predicted_time_us"], 12.5);
  EXPECT_EQ(first["predicted_dram_bytes"], 19238419200);
  EXPECT_TRUE(first["predicted_dram_bytes"].is_number_integer());
  EXPECT_EQ(first["method"], "rooftile");
  EXPECT_EQ(second["predicted_time_us"], 1500.125);
  for (const char* none : {"predicted_low_us", "predicted_high_us", "bottleneck", "predicted_l1_bytes"}) {
    EXPECT_TRUE(second[none].is_null()) << none;
  }
}

TEST(PredictedTable, JsonOfAnyBytes) {
  PredictedTable table = predicted();
  table.rows.front().cells.back() = "\xff";
  EXPECT_TRUE(fits_schema(json::parse(predicted_json(table)), "predicted-table-1.json"));
  table.rows.clear();
  EXPECT_TRUE(fits_schema(json::parse(predicted_json(table)), "predicted-table-1.json"));
}

TEST(PredictedTable, TextShowsWhatARowIs) {
  EXPECT_EQ(predicted_text(predicted()),
            " line  row             gpu                             time  limited by\n"
            "    2  gemm 64x64x64   t4              12.5 us (10 to 15.2)  dram\n"
            "1,003  gemm 128x64x64  v100-sxm2-16gb                1.5 ms  -\n");
  EXPECT_THAT(predicted_text(predicted(), 60), HasSubstr("\n line  limited by\n"));
}

TEST(PredictedTable, SaysWhyThereIsNoInterval) {
  PredictedTable table = predicted();
  table.rows[1].no_interval = "too few rows";
  const json report = json::parse(predicted_json(table));
  EXPECT_TRUE(fits_schema(report, "predicted-table-1.json"));
  EXPECT_EQ(report["rows"][1]["no_interval"], "too few rows");
  EXPECT_FALSE(report["rows"][0].contains("no_interval"));
  EXPECT_THAT(predicted_text(table), HasSubstr("\nno interval for 1 row: too few rows\n"));
}

TEST(RowLabel, OfEachOp) {
  const auto label = [](const std::string& csv) {
    return label_of(parse_layer_table(csv, "t.csv").value().rows.at(0));
  };
  EXPECT_EQ(label("op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,pass\nconv,8,64,28,28,96,3,3,1,1,1,1,bwd_data\n"),
            "conv 8x64x28x28, 96 of 3x3, bwd_data");
  EXPECT_EQ(label("op,M,N,K\ngemm,8,64,28\n"), "gemm 8x64x28");
  EXPECT_EQ(label("op,M,N,K,batch\ngemm,8,64,28,12\n"), "gemm 12 of 8x64x28");
  EXPECT_EQ(label("op,phase,batch,q_len,kv_len,heads,kv_heads,head_dim\nattention,decode,8,1,4096,32,8,128\n"),
            "attention 8x32, 1 of 4096");
  EXPECT_EQ(label("op,cell,batch,steps,input,hidden,layers,directions\nrnn,lstm,64,25,512,1024,1,1\n"),
            "lstm 64x25, 512 to 1024");
  EXPECT_EQ(label("op,kind,rows,columns\nstream,softmax,64,1000\n"), "softmax 64x1000");
  EXPECT_EQ(label("op,model,batch\nnetwork,resnet50,32\n"), "resnet50, batch 32");
}

}  // namespace
}  // namespace rooftile
