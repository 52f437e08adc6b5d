#include "rooftile/learn/networks/network_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/learn/networks/network_ways.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

MeasuredTable table_of(const std::string& rows) {
  const std::string csv = "op,model,gpu,gpus,precision,pass,batch,time_us,throughput,unit,flag\n" + rows;
  return {"t.csv", *parse_layer_table(csv, "t.csv", {.keep_unsupported = true, .measurements = true})};
}

Result<RunRows> read(const std::string& rows, RunRowsOptions options = {}) {
  options.analytic = false;
  return run_rows({table_of(rows)}, options);
}

double number(const RunRow& row, const char* name) {
  const auto found = row.numbers.find(name);
  return found == row.numbers.end() ? -1 : found->second;
}

TEST(RunRows, ModulesOfResnetsFollowFromTheirDepthAndKind) {
  // Blocks of He et al. (2016), table 1: 2+2+2+2 and 3+4+6+3 basic ones, 3+24+36+3 bottlenecks.
  const auto rows = read(
      "network,resnet-18,titan-xp,,fp32,fwd,16,100,,,\n"
      "network,resnet34,titan-xp,,fp32,fwd,16,100,,,\n"
      "network,resnet-200,titan-xp,,fp32,fwd,16,100,,,\n"
      "network,vgg16,titan-xp,,fp32,fwd,16,100,,,\n");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(number(rows->rows[0], "basic_modules"), 8);
  EXPECT_EQ(number(rows->rows[1], "basic_modules"), 16);
  EXPECT_EQ(number(rows->rows[2], "basic_modules"), 0);
  EXPECT_EQ(number(rows->rows[2], "bottleneck_modules"), 66);
  EXPECT_EQ(number(rows->rows[3], "depth"), 16);
  EXPECT_EQ(number(rows->rows[3], "modules"), -1);
}

TEST(RunRows, WorkIsThatOfOneGpuAndTimeThatOfTheWholeBatch) {
  const auto rows = read(
      "network,resnet50,titan-xp,1,fp32,fwd,16,,200,images/s,\n"
      "network,resnet50,titan-xp,4,fp32,fwd,64,,400,images/s,\n");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_DOUBLE_EQ(rows->rows[0].seconds, 16.0 / 200);
  EXPECT_DOUBLE_EQ(rows->rows[1].seconds, 64.0 / 400);
  EXPECT_EQ(number(rows->rows[0], "flops"), number(rows->rows[1], "flops"));
  EXPECT_EQ(number(rows->rows[1], "batch_size"), 64);
  EXPECT_EQ(number(rows->rows[1], "ring"), 0.75);
  // 2 x 4.09e9 multiply-accumulates an image, and the layers that only stream.
  EXPECT_NEAR(number(rows->rows[0], "flops") / 16, 8.2e9, 0.3e9);
}

TEST(RunRows, OtherUnitsThanSamplesHaveATimeToo) {
  const auto rows = read("network,tacotron2,titan-xp,2,fp32,step,128,,24000,tokens/s,\n");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_DOUBLE_EQ(rows->rows[0].seconds, 128.0 / 24000);
  EXPECT_EQ(number(rows->rows[0], "flops"), -1);  // nobody described that network
  EXPECT_GT(number(rows->rows[0], "power"), 1e13);
}

TEST(RunRows, RepeatedAndFlaggedRowsAreCounted) {
  const std::string text =
      "network,resnet50,titan-xp,1,fp32,fwd,16,100,,,\n"
      "network,resnet50,titan-xp,1,fp32,fwd,16,100,,,\n"
      "network,resnet50,titan-xp,1,fp32,fwd,32,190,,,odd\n"
      "network,resnet50,titan-xp,1,fp32,fwd,64,,,,\n";
  const auto rows = read(text);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->rows.size(), 1U);
  EXPECT_EQ(rows->duplicates, 1U);
  EXPECT_EQ(rows->flagged, 1U);
  EXPECT_EQ(rows->unmeasured, 1U);
  EXPECT_EQ(read(text, {.flagged = true})->rows.size(), 2U);
}

TEST(RunRows, AConditionMayNameNumbersThatFollow) {
  const std::string text =
      "network,resnet50,titan-xp,1,fp32,fwd,16,100,,,\n"
      "network,vgg16,titan-xp,1,fp32,fwd,16,100,,,\n";
  EXPECT_EQ(read(text, {.where = *Filter::parse("modules > 0")})->rows.size(), 1U);
  const auto unknown = read(text, {.where = *Filter::parse("module > 0")});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text(), HasSubstr("no table has a column 'module'; did you mean 'modules'?"));
  EXPECT_FALSE(read(text, {.where = *Filter::parse("modules > 1000")}));
}

TEST(RunRows, MeasuredColumnsAreNoNumbersToPredictFrom) {
  const auto rows = read("network,resnet50,titan-xp,1,fp32,fwd,16,100,160000,images/s,\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ(number(rows->rows[0], "time_us"), -1);
  EXPECT_EQ(number(rows->rows[0], "throughput"), -1);
}

TEST(ParseTerm, ReadsWhatTermsPrint) {
  for (const char* text : {"1", "batch", "batch*iterations/gpus", "1/batch", "ln(flops)", "batch^0.5"}) {
    const auto term = parse_term(text);
    ASSERT_TRUE(term) << text;
    EXPECT_EQ(regression::text_of(*term), text);
  }
  for (const char* text : {"", "*", "batch*", "a b", "batch^x", "ln()", "1/"}) EXPECT_FALSE(parse_term(text)) << text;
}

TEST(ParseWay, TheErrorNamesTheNearest) {
  EXPECT_EQ(*parse_way("physics"), Way::physics);
  EXPECT_THAT(parse_way("phisics").error().text(), HasSubstr("did you mean 'physics'?"));
}

}  // namespace
}  // namespace rooftile
