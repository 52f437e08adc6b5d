#include "rooftile/validate/validate.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ops/pass_bytes.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasuredTable table(const std::string& csv, const std::string& name = "t.csv", std::vector<std::string> hidden = {}) {
  auto read = parse_layer_table(
      csv, name, {.skip_bad_rows = false, .keep_unsupported = true, .measurements = true, .ignore = std::move(hidden)});
  EXPECT_TRUE(read.has_value()) << read.error().text();
  return {name, read ? std::move(*read) : LayerTable{}};
}

PredictOptions method(Method which) {
  PredictOptions options;
  options.method = which;
  return options;
}

ValidateOptions by(std::vector<std::string> columns, std::vector<PredictOptions> methods = {}) {
  ValidateOptions options;
  options.methods = methods.empty() ? std::vector<PredictOptions>{method(Method::roofline)} : std::move(methods);
  options.by = std::move(columns);
  return options;
}

constexpr const char* kGemms =
    "gpu,M,N,K,pass,time_us,host_overhead_us,flag\n"
    "t4,512,512,512,fwd,100,20,\n"
    "T4,512,512,64,,50,,\n"
    "titan-xp,512,512,512,bwd_data,100,,\n"
    "titan-xp,512,512,512,fwd,100,,odd\n"
    "titan-xp,512,512,512,fwd,,,\n"
    "titan-xp,512,512,512,step_as_profiled,100,,\n"
    "titan-xp,512,512,512,fwd,100,150,\n";

TEST(Validate, ScoresByGroupAndMethod) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  const auto result = validate(tables, by({"gpu", "pass"}, {method(Method::delta), method(Method::roofline)}));
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_THAT(result->methods, ElementsAre("delta", "roofline"));
  ASSERT_EQ(result->groups.size(), 5U);
  EXPECT_THAT(result->groups[0].key, ElementsAre("t4", "fwd"));
  EXPECT_EQ(result->groups[0].method, "delta");
  EXPECT_EQ(result->groups[0].score.rows, 2U);  // T4 and t4 are one GPU, an empty pass is fwd
  EXPECT_EQ(result->groups[1].method, "roofline");
  EXPECT_THAT(result->groups[2].key, ElementsAre("titan-xp", "bwd_data"));
  ASSERT_EQ(result->overall.size(), 2U);
  EXPECT_EQ(result->overall[1].score.rows, 3U);
}

TEST(Validate, SubtractsTheHarness) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  const auto result = validate(tables, by({})).value();
  EXPECT_DOUBLE_EQ(result.rows.at(0).values.measured, 80e-6);
  EXPECT_DOUBLE_EQ(result.rows.at(1).values.measured, 50e-6);
}

TEST(Validate, SaysWhatNoFigureCovers) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  const auto result = validate(tables, by({}, {method(Method::delta), method(Method::roofline)})).value();
  std::vector<std::string> reasons;
  for (const LeftOut& left : result.left_out) {
    EXPECT_EQ(left.rows, 1U);
    reasons.push_back(left.method + "|" + left.reason);
  }
  EXPECT_THAT(reasons,
              ElementsAre("|not predicted yet: gemm rows of pass step_as_profiled",
                          "delta|method delta takes pass fwd only, not bwd_data; rooftile and roofline take every pass",
                          "|flagged", "|no measured time", "|no time is left after host_overhead_us"));
}

TEST(Validate, FlaggedRowsAreCountedBesideTheFigureOfTheirGroup) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  const auto result = validate(tables, by({"gpu", "pass"})).value();
  ASSERT_EQ(result.groups.size(), 3U);
  EXPECT_EQ(result.groups[0].score.flagged, 0U);
  EXPECT_THAT(result.groups[2].key, ElementsAre("titan-xp", "fwd")) << "of a flagged row alone";
  EXPECT_EQ(result.groups[2].score.rows, 0U);
  EXPECT_EQ(result.groups[2].score.flagged, 1U);
  ASSERT_EQ(result.overall.size(), 1U);
  EXPECT_EQ(result.overall[0].score.rows, 3U);
  EXPECT_EQ(result.overall[0].score.flagged, 1U);
  ValidateOptions options = by({});
  options.flagged = true;
  const auto with = validate(tables, options).value();
  EXPECT_EQ(with.overall[0].score.flagged, 0U);
  EXPECT_NEAR(with.overall[0].score.gmae, result.overall[0].score.gmae_with_flagged.value(), 1e-12);
}

TEST(Validate, FlaggedRowsOnRequest) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  ValidateOptions options = by({});
  options.flagged = true;
  EXPECT_EQ(validate(tables, options)->rows.size(), 4U);
}

TEST(Validate, WhereSeesWhatTheRowMeans) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  ValidateOptions options = by({});
  options.where = Filter::parse("gpu = t4 and pass = fwd and K >= 64 and op = gemm and precision = fp32").value();
  const auto result = validate(tables, options).value();
  EXPECT_EQ(result.rows.size(), 2U);
  EXPECT_TRUE(result.left_out.empty());  // nor does it count what it does not mean
}

TEST(Validate, GroupsComeInTheOrderOfNumbers) {
  const std::vector<MeasuredTable> tables = {
      table("gpu,M,N,K,time_us\nt4,64,64,1000,9\nt4,64,64,64,9\nt4,64,64,9,9\n")};
  const auto result = validate(tables, by({"K"})).value();
  ASSERT_EQ(result.groups.size(), 3U);
  EXPECT_THAT(result.groups[0].key, ElementsAre("9"));
  EXPECT_THAT(result.groups[2].key, ElementsAre("1000"));
}

TEST(Validate, SeveralTablesNeedNotHaveTheSameColumns) {
  const std::vector<MeasuredTable> tables = {
      table("gpu,M,N,K,time_us,kind\nt4,64,64,1000,9,a\n", "a.csv"),
      table("gpu,C,H,W,K,R,S,N,pad_h,pad_w,stride_h,stride_w,time_ms\nt4,8,9,9,8,3,3,1,0,0,1,1,0.01\n", "b.csv")};
  const auto result = validate(tables, by({"table", "kind"})).value();
  ASSERT_EQ(result.groups.size(), 2U);
  EXPECT_THAT(result.groups[0].key, ElementsAre("a.csv", "a"));
  EXPECT_THAT(result.groups[1].key, ElementsAre("b.csv", ""));
}

TEST(Validate, UnknownColumnsAreErrors) {
  const std::vector<MeasuredTable> tables = {table(kGemms)};
  EXPECT_EQ(validate(tables, by({"gpuu"})).error().text(), "--by: no table has a column 'gpuu'; did you mean 'gpu'?");
  ValidateOptions options = by({});
  options.where = Filter::parse("M = 1 or host_overhead = 3").value();
  EXPECT_EQ(validate(tables, options).error().text(),
            "--where: character 10: no table has a column 'host_overhead'; did you mean 'host_overhead_us'?");
}

TEST(Validate, NoRowToCompareIsAnErrorThatSaysWhy) {
  const std::vector<MeasuredTable> tables = {
      table("op,gpu,M,time_us,flag\nnetwork_layer,t4,1,1,\nnetwork_layer,t4,1,1,\n")};
  EXPECT_EQ(validate(tables, by({})).error().text(),
            "no row to compare; left out: not predicted yet: network_layer rows (2)");
  EXPECT_EQ(validate({table("M,N,K\n")}, by({})).error().text(), "no row to compare");
}

TEST(Validate, RowsThatAreWrongAreErrorsOrListed) {
  const std::vector<MeasuredTable> tables = {
      table("gpu,M,N,K,time_us\nnosuch,64,64,64,9\n,64,64,64,9\nt4,64,64,64,9\n")};
  EXPECT_THAT(validate(tables, by({})).error().text(), HasSubstr("t.csv:2, column gpu: no GPU 'nosuch'"));
  ValidateOptions options = by({});
  options.skip_bad_rows = true;
  const auto result = validate(tables, options).value();
  EXPECT_EQ(result.rows.size(), 1U);
  ASSERT_EQ(result.bad_rows.size(), 2U);
  EXPECT_EQ(result.bad_rows[1].text(), "t.csv:3, column gpu: is empty; fill it or give --gpu");
}

TEST(Validate, CountersHoldLoadsAndStores) {
  const std::vector<MeasuredTable> tables = {
      table("gpu,M,N,K,l1_bytes_measured,l2_bytes_measured,dram_bytes_measured,kernel_launches\n"
            "t4,512,512,512,1e7,1e7,0,2\n")};
  const Gemm gemm = {.m = 512, .n = 512, .k = 512};
  const Bytes outputs = pass_bytes(gemm, Bytes(4), Pass::fwd).write;
  ValidateOptions options = by({}, {method(Method::delta)});
  options.quantity = ComparedQuantity::l2;
  const auto plain = validate(tables, options).value();
  const Traffic traffic = plain.rows.at(0).layer.traffic;
  EXPECT_DOUBLE_EQ(plain.rows[0].values.predicted, (traffic.l2 + outputs).value());
  options.bias_kernel = true;
  EXPECT_DOUBLE_EQ(validate(tables, options)->rows.at(0).values.predicted, (traffic.l2 + outputs * 3).value());
  options.quantity = ComparedQuantity::launches;
  EXPECT_EQ(validate(tables, options)->rows.at(0).values.predicted, 2);
  options.quantity = ComparedQuantity::dram;
  EXPECT_THAT(validate(tables, options).error().text(), HasSubstr("measured DRAM bytes of zero (1)"));
}

TEST(HiddenColumns, TakeWithThemWhatGivesThemAway) {
  EXPECT_THAT(hidden_columns({"algorithm"}),
              ElementsAre("algorithm", "block_threads", "grid_x", "grid_y", "grid_z", "kernel", "kernels"));
  EXPECT_THAT(hidden_columns({"kernel"}), ElementsAre("block_threads", "grid_x", "grid_y", "grid_z", "kernel"));
  EXPECT_THAT(hidden_columns({"framework"}), ElementsAre("framework"));
}

TEST(OptionsOf, PassOnWhatTheRowKnows) {
  const std::string csv =
      "gpu,M,N,K,algorithm,kernel,framework,pass,precision,time_us\n"
      "t4,1,1,1,winograd,wino_2x3,cuDNN,bwd_data,fp16,1\n";
  const MeasuredTable open = table(csv);
  const PredictOptions options = options_of(open.table().rows.at(0), {});
  EXPECT_EQ(options.plan.algorithm, "winograd");
  EXPECT_EQ(options.plan.kernel, "wino_2x3");
  EXPECT_EQ(options.framework, "cuDNN");
  EXPECT_EQ(options.pass, Pass::bwd_data);
  EXPECT_EQ(options.precision, DType::fp16);
  const MeasuredTable hidden = table(csv, "t.csv", hidden_columns({"algorithm"}));
  EXPECT_FALSE(options_of(hidden.table().rows.at(0), {}).plan.algorithm.has_value());
  EXPECT_EQ(options_of(hidden.table().rows.at(0), {}).plan.kernel, "");
}

TEST(OptionsOf, ProductsAreSummedAsTheirRowSays) {
  const MeasuredTable rows =
      table("gpu,M,N,K,precision,accumulate,time_us\nrtx-4060-ti,1,1,1,fp16,fp16,1\nrtx-4060-ti,1,1,1,fp16,,1\n");
  EXPECT_EQ(options_of(rows.table().rows.at(0), {}).accumulate, DType::fp16);
  EXPECT_FALSE(options_of(rows.table().rows.at(1), {}).accumulate.has_value());
}

TEST(OptionsOf, SumsOfNarrowProductsAreWrittenWider) {
  const MeasuredTable rows = table(
      "gpu,M,N,K,precision,output_precision,time_us\n"
      "h100-sxm5-80gb,1,1,1,fp8,,1\nh100-sxm5-80gb,1,1,1,int8,,1\nh100-sxm5-80gb,1,1,1,fp8,fp8,1\nt4,1,1,1,fp16,,1\n");
  const auto result = [&](std::size_t i) { return options_of(rows.table().rows.at(i), {}).result; };
  EXPECT_EQ(result(0), DType::bf16);
  EXPECT_EQ(result(1), DType::int32);
  EXPECT_EQ(result(2), DType::fp8);
  EXPECT_FALSE(result(3).has_value());
}

}  // namespace
}  // namespace rooftile
